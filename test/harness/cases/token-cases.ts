import { type GivenProgram, givenCard } from "../given-cards.ts";
import type { EndpointCases, Preparation } from "./case.ts";

const asked = {
  ...{ wallet: "apple_pay", network: "visa", requestorId: "40010030273", requestorName: "Apple Pay" },
  ...{ tokenLastFour: "4242", risk: "green" },
  device: { type: "phone", name: "Phone", language: "en-GB", ip: "192.0.2.7" },
};

const requested: Preparation = async (program) => ({
  path: { cardId: (await givenCard(program)).cardId },
  body: asked,
});

/** One that waits for its passcode, whatever the rules were. */
async function verifying(program: GivenProgram) {
  await program.call("PUT /token-rules", { body: { rules: [] } });
  const answer = await program.call("POST /cards/{cardId}/token-requests", await requested(program));
  return { path: { tokenId: answer.body.data.tokenId as string } };
}

async function active(program: GivenProgram) {
  const request = await verifying(program);
  await program.call("POST /tokens/{tokenId}/verify", { ...request, body: { outcome: "approved" } });
  return request;
}

async function suspended(program: GivenProgram) {
  const request = await active(program);
  await program.call("POST /tokens/{tokenId}/suspend", { ...request, body: {} });
  return request;
}

const withBody =
  (first: Preparation, body: object): Preparation =>
  async (program) => ({ ...(await first(program)), body });

/** A token with its passcode. */
const entered: Preparation = async (program) => {
  await program.call("PUT /token-rules", { body: { rules: [] } });
  const request = await requested(program);
  const { token } = (await program.call("POST /otp/listeners", { body: request.path ?? {} })).body.data;
  const answer = await program.call("POST /cards/{cardId}/token-requests", request);
  const { code } = (await program.call("GET /otp/{token}", { path: { token } })).body.data;
  return { path: { tokenId: answer.body.data.tokenId }, body: { code } };
};

/** The request again, which the state does not permit by then. */
const again =
  (route: Parameters<GivenProgram["call"]>[0], first: Preparation): Preparation =>
  async (program) => {
    const request = await first(program);
    await program.call(route, request);
    return request;
  };

const step = (
  route: Parameters<GivenProgram["call"]>[0] & EndpointCases["route"],
  success: Preparation,
  refusals: EndpointCases["refusals"] = {},
): EndpointCases => ({
  route,
  success,
  refusals: { ILLEGAL_TRANSITION: again(route, success), ...refusals },
});

const blankReason = { VALIDATION_FAILED: withBody(active, { reason: " " }) };

const decline = JSON.parse('{"when": {"risk": ["red"]}, "then": "decline"}');
const approve = JSON.parse('{"when": {"wallet": ["apple_pay"], "deviceType": ["phone"]}, "then": "approve"}');
const rules: Preparation = async () => ({ body: { rules: [decline, approve], otherwise: "step_up" } });

/** The Program's server cannot be reached: the stand-in decides. */
const askedAbout: Preparation = async (program) => {
  const url = "https://decisions.example.com/questions";
  const tokenStandIn = { connectionError: "step_up" };
  const body = { url, deadlineMs: 500, questions: ["token"], tokenStandIn };
  await program.call("PUT /authorization-endpoint", { body });
  const made = await verifying(program);
  await program.call("DELETE /authorization-endpoint");
  return made;
};

export const tokenCases: readonly EndpointCases[] = [
  {
    route: "GET /tokens",
    success: async (program) => {
      await active(program);
      return { query: { state: "active" } };
    },
  },
  { route: "GET /tokens/{tokenId}", success: active },
  { route: "GET /tokens/{tokenId}/events", success: suspended },
  { route: "GET /tokens/{tokenId}/decision", success: askedAbout },
  step("POST /tokens/{tokenId}/suspend", withBody(active, { reason: "Phone lost" }), blankReason),
  step("POST /tokens/{tokenId}/resume", withBody(suspended, { reason: "Phone found" }), blankReason),
  step("POST /tokens/{tokenId}/verify", withBody(verifying, { outcome: "approved" })),
  step("DELETE /tokens/{tokenId}", active),
  {
    route: "GET /token-rules",
    success: async (program) => {
      await program.call("PUT /token-rules", await rules(program));
      return {};
    },
  },
  { route: "PUT /token-rules", success: rules },
  {
    route: "POST /cards/{cardId}/token-requests",
    success: requested,
    refusals: {
      // The token is another Card's.
      ILLEGAL_TRANSITION: async (program) => {
        const token = await program.call("GET /tokens/{tokenId}", await verifying(program));
        const { tokenReference } = token.body.data;
        return { ...(await requested(program)), body: { ...asked, tokenReference } };
      },
    },
  },
  step("POST /tokens/{tokenId}/passcode", entered),
  {
    route: "POST /tokens/{tokenId}/wallet-event",
    success: withBody(active, { event: "suspend" }),
    refusals: { ILLEGAL_TRANSITION: withBody(suspended, { event: "suspend" }) },
  },
];
