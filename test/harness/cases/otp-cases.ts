import { givenCard } from "../given-cards.ts";
import { again, and, called, type EndpointCases, newCard, type Preparation, unknownId } from "./case.ts";

const challenge = "POST /cards/{cardId}/three-ds-challenges";
const subscribing: Preparation = async (program) => ({ body: { cardId: (await givenCard(program)).cardId } });

/** The data of a new Card's subscription, with the Card's id. */
async function subscribed(program: Parameters<Preparation>[0]) {
  const { body } = await subscribing(program);
  const { data } = (await program.call("POST /otp/listeners", { body })).body;
  const { cardId } = body as { cardId: string };
  return { cardId, token: String(data.token), listenerId: String(data.listenerId) };
}

/** A subscription whose Card was challenged. */
const challenged: Preparation = async (program) => {
  const { cardId, token } = await subscribed(program);
  await program.call(challenge, { path: { cardId } });
  return { path: { token } };
};

/** A subscription of a Card with two purchases at once. */
const challengedTwice: Preparation = async (program) => {
  const { cardId, token } = await subscribed(program);
  for (const body of [{ amount: 4_999, merchantName: "Web Shop" }, { amount: 1_250 }])
    await program.call(challenge, { path: { cardId }, body });
  return { path: { token }, query: { orderBy: "challengeId" } };
};

/** A challenge and its code. */
const open: Preparation = async (program) => {
  const { cardId, token } = await subscribed(program);
  const { challengeId } = (await program.call(challenge, { path: { cardId } })).body.data;
  const { code } = (await program.call("GET /otp/{token}", { path: { token } })).body.data;
  return { path: { challengeId }, body: { code } };
};

/** Well formed, and of no challenge. */
const unknownToken = { path: { token: "A".repeat(43) } };

export const otpCases: EndpointCases = {
  "POST /otp/listeners": [
    subscribing,
    { NOT_FOUND: { body: { cardId: unknownId("crd") } }, LIMIT_REACHED: again(10) },
  ],
  "GET /otp/listeners": [
    async (program) => ({ query: { cardId: (await subscribed(program)).cardId } }),
    { NOT_FOUND: { query: { cardId: unknownId("crd") } } },
  ],
  "DELETE /otp/listeners/{listenerId}": [
    async (program) => ({ path: { listenerId: (await subscribed(program)).listenerId } }),
    { NOT_FOUND: { path: { listenerId: "f".repeat(64) } } },
  ],
  "GET /otp/{token}": [challenged, { NOT_FOUND: unknownToken }],
  "GET /otp/challenges/{token}": [challengedTwice, { NOT_FOUND: unknownToken }],
  "DELETE /otp/{token}": [challenged, { NOT_FOUND: unknownToken }],
  [challenge]: [
    and(newCard, { body: { amount: 4_999, merchantName: "Web Shop" } }),
    {
      VALIDATION_FAILED: and(newCard, { body: { expiresInSeconds: 0 } }),
      ILLEGAL_TRANSITION: and(called("POST /cards/{cardId}/close", newCard), { body: {} }),
    },
  ],
  "POST /three-ds-challenges/{challengeId}/complete": open,
};
