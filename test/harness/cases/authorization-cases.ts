import { givenCard } from "../given-cards.ts";
import type { EndpointCases, Preparation } from "./case.ts";

/** A purchase that was cleared, and one that was declined for money. */
const authorized: Preparation = async (program) => {
  const { cardId } = await givenCard(program);
  const path = { cardId: String(cardId) };
  await program.call("POST /cards/{cardId}/deposits", { path, body: { amount: 5_000, pending: false } });
  const body = { amount: 2_000, merchantName: "Corner Shop", mcc: "5411" };
  const answer = await program.call("POST /cards/{cardId}/authorizations", { path, body });
  await program.call("POST /cards/{cardId}/authorizations", { path, body: { ...body, amount: 9_000 } });
  const { authorizationId } = answer.body.data;
  const clear = "POST /authorizations/{authorizationId}/clear";
  await program.call(clear, { path: { authorizationId }, body: { amount: 1_500 } });
  return { path: { authorizationId } };
};

const listed: Preparation = async (program) => {
  await authorized(program);
  return { query: { merchant: "corner", limit: "2" } };
};

export const authorizationCases: readonly EndpointCases[] = [
  { route: "GET /authorizations", success: listed },
  { route: "GET /authorizations/{authorizationId}", success: authorized },
  { route: "GET /authorizations/{authorizationId}/events", success: authorized },
];
