import { handler as receive } from "../../../functions/connection-webhooks/handler.ts";
import { apiEvent } from "../../harness/api-event.ts";
import type { GivenProgram } from "../../harness/given-cards.ts";
import { type Answer, replay } from "../../harness/replay.ts";

export interface GivenConnection {
  readonly connectionId: string;
  readonly secret: string;
  /** Posts to the connection's webhook address. */
  post(body: string, headers: Record<string, string | undefined>): Promise<Answer>;
}

/** A connection of the Program, with its secret. */
export async function givenConnection(program: GivenProgram, body: object): Promise<GivenConnection> {
  const path = { programId: program.programId };
  const route = "POST /account/programs/{programId}/connections";
  const { connectionId, secret } = (await program.call(route, { path, body })).body.data;
  return {
    connectionId,
    secret,
    post: (text, headers) => post(program.programId, connectionId, text, headers),
  };
}

export function post(
  programId: string,
  connectionId: string,
  body: string,
  headers: Record<string, string | undefined> = {},
): Promise<Answer> {
  const route = "POST /connections/{programId}/{connectionId}";
  const event = apiEvent({ route, path: { programId, connectionId }, body, headers: headers as never });
  return replay(receive as never, event);
}
