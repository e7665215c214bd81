import { type GivenProgram, givenCard } from "../given-cards.ts";
import { type EndpointCases, type Preparation, unknownId } from "./case.ts";

const onCard: Preparation = async (program) => ({ body: { cardId: (await givenCard(program)).cardId } });

/** A subscription whose Card was challenged. */
const challenged: Preparation = async (program) => {
  const { body } = (await onCard(program)) as { body: { cardId: string } };
  const path = { token: await tokenOf(program, body) };
  await program.call("POST /cards/{cardId}/three-ds-challenges", { path: { cardId: body.cardId } });
  return { path };
};

/** A subscription of a Card with two purchases at once. */
const challengedTwice: Preparation = async (program) => {
  const { cardId } = await givenCard(program);
  const token = await tokenOf(program, { cardId });
  for (const body of [{ amount: 4_999, merchantName: "Web Shop" }, { amount: 1_250 }]) {
    await program.call("POST /cards/{cardId}/three-ds-challenges", { path: { cardId }, body });
  }
  return { path: { token }, query: { orderBy: "challengeId" } };
};

async function tokenOf(program: GivenProgram, body: object): Promise<string> {
  const answer = await program.call("POST /otp/listeners", { body });
  return answer.body.data.token as string;
}

/** A Card with a subscription whose token may be lost. */
const subscribed = async (program: GivenProgram) => {
  const { body } = (await onCard(program)) as { body: { cardId: string } };
  const answer = await program.call("POST /otp/listeners", { body });
  return { cardId: body.cardId, listenerId: answer.body.data.listenerId as string };
};

/** Well formed, and of no challenge. */
const unknownToken: Preparation = async () => ({ path: { token: "A".repeat(43) } });

export const otpCases: readonly EndpointCases[] = [
  {
    route: "POST /otp/listeners",
    success: onCard,
    refusals: {
      NOT_FOUND: async () => ({ body: { cardId: unknownId("crd") } }),
      LIMIT_REACHED: async (program) => {
        const request = await onCard(program);
        for (let count = 0; count < 10; count += 1) await program.call("POST /otp/listeners", request);
        return request;
      },
    },
  },
  {
    route: "GET /otp/listeners",
    success: async (program) => ({ query: { cardId: (await subscribed(program)).cardId } }),
    refusals: { NOT_FOUND: async () => ({ query: { cardId: unknownId("crd") } }) },
  },
  {
    route: "DELETE /otp/listeners/{listenerId}",
    success: async (program) => ({ path: { listenerId: (await subscribed(program)).listenerId } }),
    refusals: { NOT_FOUND: async () => ({ path: { listenerId: "f".repeat(64) } }) },
  },
  { route: "GET /otp/{token}", success: challenged, refusals: { NOT_FOUND: unknownToken } },
  { route: "GET /otp/challenges/{token}", success: challengedTwice, refusals: { NOT_FOUND: unknownToken } },
  { route: "DELETE /otp/{token}", success: challenged, refusals: { NOT_FOUND: unknownToken } },
];

const open: Preparation = async (program) => {
  const { cardId } = await givenCard(program);
  const token = await tokenOf(program, { cardId });
  const route = "POST /cards/{cardId}/three-ds-challenges";
  const { challengeId } = (await program.call(route, { path: { cardId } })).body.data;
  const { code } = (await program.call("GET /otp/{token}", { path: { token } })).body.data;
  return { path: { challengeId }, body: { code } };
};

export const threeDsCases: readonly EndpointCases[] = [
  {
    route: "POST /cards/{cardId}/three-ds-challenges",
    success: async (program) => ({
      path: { cardId: (await givenCard(program)).cardId },
      body: { amount: 4_999, merchantName: "Web Shop" },
    }),
    refusals: {
      VALIDATION_FAILED: async (program) => ({
        path: { cardId: (await givenCard(program)).cardId },
        body: { expiresInSeconds: 0 },
      }),
      ILLEGAL_TRANSITION: async (program) => {
        const path = { cardId: (await givenCard(program)).cardId };
        await program.call("POST /cards/{cardId}/close", { path });
        return { path, body: {} };
      },
    },
  },
  {
    route: "POST /three-ds-challenges/{challengeId}/complete",
    success: open,
    refusals: {
      ILLEGAL_TRANSITION: async (program) => {
        const request = await open(program);
        await program.call("POST /three-ds-challenges/{challengeId}/complete", request);
        return request;
      },
    },
  },
];
