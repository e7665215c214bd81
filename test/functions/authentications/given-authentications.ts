import { type GivenProgram, givenCard, givenProgram } from "../../harness/given-cards.ts";

/** A Card whose Program has 3-D Secure, and the calls of merchant and Program. */
export async function givenAuthentications(details: object = {}) {
  const program = await givenProgram({ settings: { threeDSecure: true } });
  return { program, ...(await givenCard(program, { ...details })), ...callsOf(program) };
}

interface MerchantView {
  readonly authenticationId: string;
  readonly state: string;
  readonly eci?: string;
  readonly cavv?: string;
  readonly challenge?: { readonly method: string; readonly expiresAt: string };
}

export function callsOf(program: GivenProgram) {
  const route = "POST /cards/{cardId}/authentications";
  return {
    request: async (cardId: string, body: object = {}): Promise<MerchantView> => {
      const asked = { amount: 4_999, merchantName: "Web Shop", ...body };
      const answer = await program.call(route, { path: { cardId }, body: asked });
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
      return answer.body.data;
    },
    view: async (authenticationId: string) =>
      (await program.call("GET /authentications/{authenticationId}", { path: { authenticationId } })).body
        .data,
    list: async (query: Record<string, string> = {}) =>
      (await program.call("GET /authentications", { query })).body as {
        readonly items: { readonly authenticationId: string }[];
        readonly total: number;
      },
    decide: (authenticationId: string, outcome: string, headers: Record<string, string> = {}) =>
      program.call("POST /authentications/{authenticationId}/outcome", {
        path: { authenticationId },
        body: { outcome },
        headers,
      }),
    enter: (authenticationId: string, code: string) =>
      program.call("POST /authentications/{authenticationId}/passcode", {
        path: { authenticationId },
        body: { code },
      }),
    putRules: (body: object) => program.call("PUT /authentication-rules", { body }),
    subscribe: async (cardId: string): Promise<string> =>
      (await program.call("POST /otp/listeners", { body: { cardId } })).body.data.token,
    codeOf: async (token: string): Promise<string> =>
      (await program.call("GET /otp/{token}", { path: { token } })).body.data.code,
    challenges: async (token: string) =>
      (await program.call("GET /otp/challenges/{token}", { path: { token } })).body.items as {
        readonly challengeId: string;
        readonly code: string;
      }[],
  };
}

/** A code that is not this one. */
export const wrong = (code: string) => (code === "000000" ? "000001" : "000000");
