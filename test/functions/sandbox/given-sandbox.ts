import { handler } from "../../../functions/sandbox/handler.ts";
import { apiEvent } from "../../harness/api-event.ts";
import { givenNetwork } from "../../harness/given-network.ts";
import { replay } from "../../harness/replay.ts";

/** A card with 100.00 on it, and the sandbox in its Program's name. */
export async function givenSandbox(options: Parameters<typeof givenNetwork>[0] = {}) {
  const network = await givenNetwork(options);
  const { programId, cardId } = network;
  const post = (
    route: string,
    path: Record<string, string>,
    body?: object,
    headers: Record<string, string> = {},
  ) =>
    replay(
      handler,
      apiEvent({
        route: `POST ${route}` as `POST /${string}`,
        path,
        caller: { programId },
        headers,
        ...(body && { body }),
      }),
    );
  return {
    ...network,
    post,
    /** Calls `/cards/{cardId}/<what>`. */
    onCard: (what: string, body?: object, headers?: Record<string, string>) =>
      post(`/cards/{cardId}/${what}`, { cardId }, body, headers),
    /** Calls `/authorizations/{authorizationId}/<what>`. */
    onHold: (authorizationId: string, what: string, body?: object, headers?: Record<string, string>) =>
      post(`/authorizations/{authorizationId}/${what}`, { authorizationId }, body, headers),
    authorized: async (amount: number, more: object = {}): Promise<string> => {
      const { body } = await post("/cards/{cardId}/authorizations", { cardId }, { amount, ...more });
      return body.data.authorizationId;
    },
  };
}
