import { askedAbout } from "./authentication-cases.ts";
import {
  after,
  and,
  called,
  changing,
  created,
  type EndpointCases,
  newCard,
  type Preparation,
} from "./case.ts";

const asked = {
  ...{ wallet: "apple_pay", network: "visa", requestorId: "40010030273", requestorName: "Apple Pay" },
  ...{ tokenLastFour: "4242", risk: "green" },
  device: { type: "phone", name: "Phone", language: "en-GB", ip: "192.0.2.7" },
};

const asking = "POST /cards/{cardId}/token-requests";
const requested = and(newCard, { body: asked });

/** Whatever the rules were. */
const withoutRules: Preparation = async (program) => {
  await program.call("PUT /token-rules", { body: { rules: [] } });
  return {};
};

/** One that waits for its passcode. */
const verifying = after(withoutRules, created(asking, requested, "tokenId"));
const active = called("POST /tokens/{tokenId}/verify", verifying, { outcome: "approved" });
const suspended = called("POST /tokens/{tokenId}/suspend", active, {});

/** A token with its passcode. */
const entered: Preparation = async (program) => {
  await withoutRules(program);
  const request = await requested(program);
  const { token } = (await program.call("POST /otp/listeners", { body: request.path ?? {} })).body.data;
  const { path } = await created(asking, async () => request, "tokenId")(program);
  const { code } = (await program.call("GET /otp/{token}", { path: { token } })).body.data;
  return { path, body: { code } };
};

const blankReason = { VALIDATION_FAILED: and(active, { body: { reason: " " } }) };

const decline = JSON.parse('{"when": {"risk": ["red"]}, "then": "decline"}');
const approve = JSON.parse('{"when": {"wallet": ["apple_pay"], "deviceType": ["phone"]}, "then": "approve"}');
const rules = { body: { rules: [decline, approve], otherwise: "step_up" } };

export const tokenCases: EndpointCases = {
  "GET /tokens": after(active, { query: { state: "active" } }),
  "GET /tokens/{tokenId}": active,
  "GET /tokens/{tokenId}/events": suspended,
  "GET /tokens/{tokenId}/decision": askedAbout(
    "token",
    { tokenStandIn: { connectionError: "step_up" } },
    verifying,
  ),
  "POST /tokens/{tokenId}/suspend": [and(active, { body: { reason: "Phone lost" } }), blankReason],
  "POST /tokens/{tokenId}/resume": [and(suspended, { body: { reason: "Phone found" } }), blankReason],
  "POST /tokens/{tokenId}/verify": and(verifying, { body: { outcome: "approved" } }),
  "DELETE /tokens/{tokenId}": active,
  "GET /token-rules": async (program) => {
    await program.call("PUT /token-rules", rules);
    return {};
  },
  "PUT /token-rules": rules,
  [asking]: [
    requested,
    {
      // The token is another Card's.
      ILLEGAL_TRANSITION: async (program) => {
        const token = await program.call("GET /tokens/{tokenId}", await verifying(program));
        return changing(requested, { tokenReference: token.body.data.tokenReference })(program);
      },
    },
  ],
  "POST /tokens/{tokenId}/passcode": entered,
  "POST /tokens/{tokenId}/wallet-event": [
    and(active, { body: { event: "suspend" } }),
    { ILLEGAL_TRANSITION: and(suspended, { body: { event: "suspend" } }) },
  ],
};
