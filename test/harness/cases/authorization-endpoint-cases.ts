import { type GivenProgram, givenCard } from "../given-cards.ts";
import type { EndpointCases, Preparation } from "./case.ts";

const endpoint = {
  url: "https://decisions.example.com/authorizations",
  deadlineMs: 500,
  standIn: { timeout: { approveUpTo: 5_000 }, connectionError: "approve", badAnswer: "decline" },
};

const hasEndpoint = async ({ call }: GivenProgram) =>
  (await call("GET /authorization-endpoint")).status === 200;

const withEndpoint: Preparation = async (program) => {
  if (!(await hasEndpoint(program))) await program.call("PUT /authorization-endpoint", { body: endpoint });
  return {};
};

const withoutEndpoint: Preparation = async (program) => {
  if (await hasEndpoint(program)) await program.call("DELETE /authorization-endpoint");
  return {};
};
/** An authorization that the stand-in declines. */
const decided: Preparation = async (program) => {
  const { cardId } = await givenCard(program);
  const path = { cardId: String(cardId) };
  await program.call("POST /cards/{cardId}/deposits", { path, body: { amount: 5_000, pending: false } });
  await withoutEndpoint(program);
  const standIn = { connectionError: { approveUpTo: 1_000 } };
  await program.call("PUT /authorization-endpoint", { body: { ...endpoint, standIn } });
  const body = { amount: 2_000, merchantName: "Corner Shop" };
  const answer = await program.call("POST /cards/{cardId}/authorizations", { path, body });
  await withoutEndpoint(program);
  return { path: { authorizationId: answer.body.data.authorizationId } };
};

const refusals = { NOT_FOUND: withoutEndpoint };

/** The last ones delete it: other cases of the Program are decided without a question. */
export const authorizationEndpointCases: readonly EndpointCases[] = [
  {
    route: "PUT /authorization-endpoint",
    success: async (program) => ({ ...(await withoutEndpoint(program)), body: endpoint }),
  },
  { route: "GET /authorization-endpoint", success: withEndpoint, refusals },
  { route: "POST /authorization-endpoint/rotate-secret", success: withEndpoint, refusals },
  { route: "POST /authorization-endpoint/ping", success: withEndpoint, refusals },
  { route: "DELETE /authorization-endpoint", success: withEndpoint, refusals },
  { route: "GET /authorizations/{authorizationId}/decision", success: decided },
];
