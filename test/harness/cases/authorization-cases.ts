import type { GivenProgram } from "../given-cards.ts";
import { after, and, called, type EndpointCases, newCard, type Preparation } from "./case.ts";

const deposit = { amount: 5_000, pending: false };
const loaded = called("POST /cards/{cardId}/deposits", newCard, deposit);

/** A purchase that was cleared, and one that was declined for money. */
const authorized: Preparation = async (program) => {
  const { path } = await loaded(program);
  const body = { amount: 2_000, merchantName: "Corner Shop", mcc: "5411" };
  const answer = await program.call("POST /cards/{cardId}/authorizations", { path, body });
  await program.call("POST /cards/{cardId}/authorizations", { path, body: { ...body, amount: 9_000 } });
  const { authorizationId } = answer.body.data;
  const clear = "POST /authorizations/{authorizationId}/clear";
  await program.call(clear, { path: { authorizationId }, body: { amount: 1_500 } });
  return { path: { authorizationId } };
};

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
  const { path } = await loaded(program);
  await withoutEndpoint(program);
  const standIn = { connectionError: { approveUpTo: 1_000 } };
  await program.call("PUT /authorization-endpoint", { body: { ...endpoint, standIn } });
  const body = { amount: 2_000, merchantName: "Corner Shop" };
  const answer = await program.call("POST /cards/{cardId}/authorizations", { path, body });
  await withoutEndpoint(program);
  return { path: { authorizationId: answer.body.data.authorizationId } };
};

/** The last ones delete it: other cases of the Program are decided without a question. */
export const authorizationCases: EndpointCases = {
  "GET /authorizations": after(authorized, { query: { merchant: "corner", limit: "2" } }),
  "GET /authorizations/{authorizationId}": authorized,
  "GET /authorizations/{authorizationId}/events": authorized,
  "PUT /authorization-endpoint": and(withoutEndpoint, { body: endpoint }),
  "GET /authorization-endpoint": [withEndpoint, { NOT_FOUND: withoutEndpoint }],
  "POST /authorization-endpoint/rotate-secret": [withEndpoint, { NOT_FOUND: withoutEndpoint }],
  "POST /authorization-endpoint/ping": [withEndpoint, { NOT_FOUND: withoutEndpoint }],
  "DELETE /authorization-endpoint": [withEndpoint, { NOT_FOUND: withoutEndpoint }],
  "GET /authorizations/{authorizationId}/decision": decided,
};
