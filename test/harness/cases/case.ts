import type { ErrorCode } from "../../../shared/contract/errors.ts";
import type { Route } from "../../../shared/contract/route.ts";
import type { EventOptions } from "../api-event.ts";
import type { GivenProgram } from "../given-cards.ts";

/** A request to a route: everything but the route and who calls. */
export type CaseRequest = Omit<EventOptions, "route" | "caller">;

/** What a request needs to be there, made over the API itself, and then the request. */
export type Preparation = (program: GivenProgram) => Promise<CaseRequest>;

/**
 * Requests for each endpoint's answers. Generic ones (malformed body, unknown id, reused key)
 * derive from the successful request. Recorded by `npm run record`.
 */
export interface EndpointCases {
  readonly route: `${Route["method"]} /${string}`;
  readonly success: Preparation;
  readonly refusals?: { readonly [Code in ErrorCode]?: Preparation };
  /** Its Program asks for manual approval of issuances. */
  readonly manualIssuance?: true;
}

/** One answer of one endpoint. */
export interface Case {
  readonly route: Route;
  /** `OK`, or the code of the error. */
  readonly code: "OK" | ErrorCode;
  readonly status: number;
  readonly prepare: Preparation;
  readonly manualIssuance: boolean;
}

/** A well-formed identifier of no record. */
export const unknownId = (prefix: string) => `${prefix}_0000000000000000000000NB0D`;

/** The request once more, with an `externalId` that another record of its kind has. */
export const externalIdTaken =
  (route: EndpointCases["route"], preparation: Preparation): Preparation =>
  async (program) => {
    const labelled = async () => {
      const request = await preparation(program);
      return { ...request, body: { ...(request.body as object), externalId: "order-1" } };
    };
    await program.call(route as never, (await labelled()) as never);
    return labelled();
  };

/** The same request, of a card that the platform has blocked. */
export const blocked =
  (preparation: Preparation): Preparation =>
  async (program) => {
    const request = await preparation(program);
    await program.operate("block-card", { programId: program.programId, cardId: request.path?.cardId });
    return request;
  };
