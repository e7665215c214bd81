import type { GivenProgram } from "../given-cards.ts";
import { after, and, created, type EndpointCases, newCard, type Preparation } from "./case.ts";

const onCard = "POST /cards/{cardId}/authentications";

const asked = and(newCard, {
  body: {
    ...{ amount: 4_999, merchantName: "Web Shop", mcc: "5732", merchantCountry: "FR" },
    ...{
      exemptions: ["low_value"],
      billingAddress: { line1: "12 St James's Square", postalCode: "SW1Y 4JH" },
    },
    device: { type: "browser", language: "en-GB", ip: "192.0.2.7" },
  },
});

/** A challenge in the app. */
const challengedInApp = created(onCard, asked, "authenticationId");

/** A challenge by passcode, and its code. */
const entered: Preparation = async (program) => {
  const request = await asked(program);
  const cardId = request.path?.cardId;
  const { token } = (await program.call("POST /otp/listeners", { body: { cardId } })).body.data;
  const { path } = await created(onCard, async () => request, "authenticationId")(program);
  const { code } = (await program.call("GET /otp/{token}", { path: { token } })).body.data;
  return { path, body: { code } };
};

const rules = {
  body: {
    rules: [
      { when: { country: "KP" }, then: "decline" },
      { when: { amountUpTo: 3_000, exemption: "low_value" }, then: "approve" },
    ],
    otherwise: "challenge",
  },
};

/** The Program's server cannot be reached: the stand-in decides. */
export const askedAbout =
  (question: "authentication" | "token", standIn: object, asking: Preparation): Preparation =>
  async (program) => {
    const url = "https://decisions.example.com/questions";
    const body = { url, deadlineMs: 500, questions: [question], ...standIn };
    await program.call("PUT /authorization-endpoint", { body });
    const made = await asking(program);
    await program.call("DELETE /authorization-endpoint");
    return made;
  };

const with3ds = (threeDSecure: boolean) => async (program: GivenProgram) => {
  const path = { programId: program.programId };
  await program.call("PUT /account/programs/{programId}/settings", { path, body: { threeDSecure } });
  return {};
};

export const authenticationCases: EndpointCases = {
  "GET /authentications": after(challengedInApp, { query: { state: "challenged" } }),
  "GET /authentications/{authenticationId}": challengedInApp,
  "GET /authentications/{authenticationId}/decision": askedAbout(
    "authentication",
    { authenticationStandIn: { connectionError: "attempt" } },
    challengedInApp,
  ),
  "POST /authentications/{authenticationId}/outcome": and(challengedInApp, { body: { outcome: "approved" } }),
  "GET /authentication-rules": async (program) => {
    await program.call("PUT /authentication-rules", rules);
    return {};
  },
  "PUT /authentication-rules": rules,
  [onCard]: [asked, { ILLEGAL_TRANSITION: after(with3ds(false), asked) }],
  // The case before has switched it off.
  "GET /authentications/{authenticationId}/result": after(with3ds(true), challengedInApp),
  "POST /authentications/{authenticationId}/passcode": entered,
};
