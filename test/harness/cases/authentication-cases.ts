import { type GivenProgram, givenCard } from "../given-cards.ts";
import type { EndpointCases, Preparation } from "./case.ts";

const purchase = { amount: 4_999, merchantName: "Web Shop", mcc: "5732", merchantCountry: "FR" };

const asked: Preparation = async (program) => ({
  path: { cardId: (await givenCard(program)).cardId },
  body: {
    ...purchase,
    ...{
      exemptions: ["low_value"],
      billingAddress: { line1: "12 St James's Square", postalCode: "SW1Y 4JH" },
    },
    device: { type: "browser", language: "en-GB", ip: "192.0.2.7" },
  },
});

/** A challenge in the app. */
async function challengedInApp(program: GivenProgram) {
  const answer = await program.call("POST /cards/{cardId}/authentications", await asked(program));
  return { path: { authenticationId: answer.body.data.authenticationId as string } };
}

const approved: Preparation = async (program) => ({
  ...(await challengedInApp(program)),
  body: { outcome: "approved" },
});

/** A challenge by passcode, and its code. */
const entered: Preparation = async (program) => {
  const request = await asked(program);
  const cardId = request.path?.cardId;
  const { token } = (await program.call("POST /otp/listeners", { body: { cardId } })).body.data;
  const answer = await program.call("POST /cards/{cardId}/authentications", request);
  const { code } = (await program.call("GET /otp/{token}", { path: { token } })).body.data;
  return { path: { authenticationId: answer.body.data.authenticationId }, body: { code } };
};

const rules: Preparation = async () => ({
  body: {
    rules: [
      { when: { country: "KP" }, then: "decline" },
      { when: { amountUpTo: 3_000, exemption: "low_value" }, then: "approve" },
    ],
    otherwise: "challenge",
  },
});

/** The request again, which is decided by then. */
const again =
  (route: Parameters<GivenProgram["call"]>[0], first: Preparation): Preparation =>
  async (program) => {
    const request = await first(program);
    await program.call(route, request);
    return request;
  };

/** The Program's server cannot be reached: the stand-in decides. */
const askedAbout: Preparation = async (program) => {
  const url = "https://decisions.example.com/questions";
  const authenticationStandIn = { connectionError: "attempt" };
  const body = { url, deadlineMs: 500, questions: ["authentication"], authenticationStandIn };
  await program.call("PUT /authorization-endpoint", { body });
  const made = await challengedInApp(program);
  await program.call("DELETE /authorization-endpoint");
  return made;
};

async function setThreeDSecure({ call, programId }: GivenProgram, threeDSecure: boolean): Promise<void> {
  await call("PUT /account/programs/{programId}/settings", { path: { programId }, body: { threeDSecure } });
}

export const authenticationCases: readonly EndpointCases[] = [
  {
    route: "GET /authentications",
    success: async (program) => {
      await challengedInApp(program);
      return { query: { state: "challenged" } };
    },
  },
  { route: "GET /authentications/{authenticationId}", success: challengedInApp },
  { route: "GET /authentications/{authenticationId}/decision", success: askedAbout },
  {
    route: "POST /authentications/{authenticationId}/outcome",
    success: approved,
    refusals: { ILLEGAL_TRANSITION: again("POST /authentications/{authenticationId}/outcome", approved) },
  },
  {
    route: "GET /authentication-rules",
    success: async (program) => {
      await program.call("PUT /authentication-rules", await rules(program));
      return {};
    },
  },
  { route: "PUT /authentication-rules", success: rules },
  {
    route: "POST /cards/{cardId}/authentications",
    success: asked,
    refusals: {
      ILLEGAL_TRANSITION: async (program) => {
        await setThreeDSecure(program, false);
        return asked(program);
      },
    },
  },
  {
    route: "GET /authentications/{authenticationId}/result",
    // The case before has switched it off.
    success: async (program) => {
      await setThreeDSecure(program, true);
      return challengedInApp(program);
    },
  },
  {
    route: "POST /authentications/{authenticationId}/passcode",
    success: entered,
    refusals: { ILLEGAL_TRANSITION: again("POST /authentications/{authenticationId}/passcode", entered) },
  },
];
