import type { ErrorCode } from "../../../shared/contract/errors.ts";
import type { Route } from "../../../shared/contract/route.ts";
import type { EventOptions } from "../api-event.ts";
import { type GivenProgram, givenCard } from "../given-cards.ts";

/** A request to a route: everything but the route and who calls. */
export type CaseRequest = Omit<EventOptions, "route" | "caller">;

/** What a request needs to be there, made over the API itself, and then the request. */
export type Preparation = (program: GivenProgram) => Promise<CaseRequest>;
type Prepared = CaseRequest | Preparation;

type AnyRoute = EventOptions["route"];

/** A request that is refused, often the one that succeeds in another state. */
export type Refusal =
  | CaseRequest
  | ((program: GivenProgram, own: { route: AnyRoute; success: Preparation }) => Promise<CaseRequest>);

/**
 * By route: the request that succeeds, and those that are refused. Those that follow from the first
 * (malformed body, unknown id, reused key, done again) are left out. Recorded by `npm run record`.
 */
export type EndpointCases = Record<AnyRoute, Prepared | [Prepared, { [Code in ErrorCode]?: Refusal }]>;

/** One answer of one endpoint. */
export interface Case {
  readonly route: Route;
  /** `OK`, or the code of the error. */
  readonly code: "OK" | ErrorCode;
  readonly status: number;
  readonly prepare: Preparation;
  /** Its Program asks for manual approval of issuances. */
  readonly manualIssuance: boolean;
}

/** A well-formed identifier of no record. */
export const unknownId = (prefix: string) => `${prefix}_0000000000000000000000NB0D`;

export const toPreparation = (given: Prepared): Preparation =>
  typeof given === "function" ? given : async () => given;

/** The path of a new Card. */
export const newCard: Preparation = async (program) => ({
  path: { cardId: (await givenCard(program)).cardId },
});

/** The request with more, or with other parts. */
export const and =
  (first: Preparation, more: Prepared): Preparation =>
  async (program) => ({ ...(await first(program)), ...(await toPreparation(more)(program)) });

/** The request with other fields of its body. */
export const changing =
  (first: Preparation, fields: object | ((program: GivenProgram) => Promise<object>)): Preparation =>
  async (program) => {
    const { body, ...request } = await first(program);
    const changed = typeof fields === "function" ? await fields(program) : fields;
    return { ...request, body: { ...(body as object), ...changed } };
  };

/** Another request, once there is what the first one is about. */
export const after =
  (first: Preparation, request: Prepared): Preparation =>
  async (program) => {
    await first(program);
    return toPreparation(request)(program);
  };

/** The same request, once this route has had it, or its path and this body, so many times. */
export const called =
  (route: AnyRoute, first: Preparation, body?: object, times = 1): Preparation =>
  async (program) => {
    const request = await first(program);
    for (let time = 0; time < times; time += 1)
      await program.call(route, body ? { ...request, body } : request);
    return request;
  };

/** The path of what the route makes of the request. */
export const created =
  (route: AnyRoute, first: Preparation, idName: string): Preparation =>
  async (program) => {
    const { body } = await program.call(route, await first(program));
    return { path: { [idName]: body.data[idName] } };
  };

/** The request that succeeds, once it has been made so many times. */
export const again =
  (times = 1): Refusal =>
  (program, { route, success }) =>
    called(route, success, undefined, times)(program);

/** The request once more, with an `externalId` that another record of its kind has. */
export const externalIdTaken =
  (preparation?: Preparation): Refusal =>
  async (program, { route, success }) => {
    const labelled = changing(preparation ?? success, { externalId: "order-1" });
    await program.call(route, await labelled(program));
    return labelled(program);
  };

/** The same request, of a Card that the platform has blocked. */
export const blocked =
  (preparation?: Preparation): Refusal =>
  async (program, { success }) => {
    const request = await (preparation ?? success)(program);
    await program.operate("block-card", { programId: program.programId, cardId: request.path?.cardId });
    return request;
  };

/** The request that succeeds, of a Card that is closed. */
export const closedCard: Refusal = async (program, { success }) => {
  const request = await success(program);
  await program.call("POST /cards/{cardId}/close", { path: { ...request.path } });
  return request;
};
