import type { GivenProgram } from "../../harness/given-cards.ts";
import type { Answer } from "../../harness/replay.ts";
import { postTo } from "../../harness/scenarios/deeds.ts";

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
    post: (text, headers) => postTo(program.programId, connectionId, text, headers as Record<string, string>),
  };
}
