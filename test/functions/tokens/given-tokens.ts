import { type GivenProgram, givenCard, givenProgram } from "../../harness/given-cards.ts";

type Rules = { readonly rules?: readonly object[]; readonly otherwise?: string };

/** One of the rules. A name of JavaScript's own promises is what callers write. */
export const rule = (when: object, decision = "approve"): object =>
  JSON.parse(`{"when": ${JSON.stringify(when)}, "then": "${decision}"}`);

/** A Card whose tokens are approved, unless the rules are others. */
export async function givenTokens({ rules = [], otherwise = "approve" }: Rules = {}) {
  const program = await givenProgram();
  const { cardId, cardholderId } = await givenCard(program);
  await program.call("PUT /token-rules", { body: { rules, otherwise } });
  return { program, cardId, cardholderId, ...callsOf(program) };
}

export interface Requested {
  readonly tokenId: string;
  readonly state: string;
  readonly outcome: string;
  readonly declineReason?: string;
  readonly decidedBy: string;
}

export function callsOf(program: GivenProgram) {
  return {
    request: async (cardId: string, body: object = {}): Promise<Requested> =>
      (
        await program.call("POST /cards/{cardId}/token-requests", {
          path: { cardId },
          body: { wallet: "apple_pay", ...body },
        })
      ).body.data,
    view: async (tokenId: string) =>
      (await program.call("GET /tokens/{tokenId}", { path: { tokenId } })).body.data,
    suspend: (tokenId: string, body: object = {}) =>
      program.call("POST /tokens/{tokenId}/suspend", { path: { tokenId }, body }),
    resume: (tokenId: string, body: object = {}) =>
      program.call("POST /tokens/{tokenId}/resume", { path: { tokenId }, body }),
    remove: (tokenId: string) => program.call("DELETE /tokens/{tokenId}", { path: { tokenId } }),
    verify: (tokenId: string, outcome: string) =>
      program.call("POST /tokens/{tokenId}/verify", { path: { tokenId }, body: { outcome } }),
    enter: (tokenId: string, code: string) =>
      program.call("POST /tokens/{tokenId}/passcode", { path: { tokenId }, body: { code } }),
    walletEvent: (tokenId: string, event: string) =>
      program.call("POST /tokens/{tokenId}/wallet-event", { path: { tokenId }, body: { event } }),
    subscribe: async (body: object): Promise<string> =>
      (await program.call("POST /otp/listeners", { body })).body.data.token,
    passcode: async (token: string) =>
      (await program.call("GET /otp/{token}", { path: { token } })).body.data,
    records: async (cardId: string, query: Record<string, string> = {}) =>
      (await program.call("GET /cards/transactions", { query: { cardId, ...query } })).body.items as {
        transType: number;
        transStatus: number;
        amount: number;
        tokenId: string;
        declineReason?: string;
      }[],
  };
}
