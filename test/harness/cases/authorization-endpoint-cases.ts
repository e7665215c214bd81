import type { GivenProgram } from "../given-cards.ts";
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
const refusals = { NOT_FOUND: withoutEndpoint };

/** The last one deletes it: other cases of the Program are decided without a question. */
export const authorizationEndpointCases: readonly EndpointCases[] = [
  {
    route: "PUT /authorization-endpoint",
    success: async (program) => ({ ...(await withoutEndpoint(program)), body: endpoint }),
  },
  { route: "GET /authorization-endpoint", success: withEndpoint, refusals },
  { route: "POST /authorization-endpoint/rotate-secret", success: withEndpoint, refusals },
  { route: "POST /authorization-endpoint/ping", success: withEndpoint, refusals },
  { route: "DELETE /authorization-endpoint", success: withEndpoint, refusals },
];
