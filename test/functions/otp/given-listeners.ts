import { type GivenProgram, givenCard, givenProgram } from "../../harness/given-cards.ts";

export const webhookUrl = "https://hooks.customer.example/otp?tenant=1";

/** A Card of a Program that sends passcodes. */
export async function givenSecureCard() {
  const program = await givenProgram({ settings: { threeDSecure: true } });
  return { program, ...(await givenCard(program)) };
}

export const subscribe = (program: GivenProgram, body: object) =>
  program.call("POST /otp/listeners", { body });
export const retrieve = (program: GivenProgram, token: string) =>
  program.call("GET /otp/{token}", { path: { token } });
export const unsubscribe = (program: GivenProgram, token: string) =>
  program.call("DELETE /otp/{token}", { path: { token } });
export const challenge = (program: GivenProgram, cardId: string) =>
  program.call("POST /cards/{cardId}/three-ds-challenges", { path: { cardId }, body: {} });
