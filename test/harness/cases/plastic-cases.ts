import { givenCard, shippingAddress } from "../given-cards.ts";
import { blocked, type EndpointCases, type Preparation } from "./case.ts";

const active: Preparation = async (program) => ({
  path: { cardId: (await givenCard(program)).cardId },
  body: {},
});

const lost: Preparation = async (program) => ({ ...(await active(program)), body: { reason: "lost" } });

/** A physical Card of which a replacement is on its way. */
const replaced: Preparation = async (program) => {
  const card = await givenCard(program, { cardForm: 1, shippingAddress });
  const request = { path: { cardId: card.cardId }, body: { reason: "damaged", shippingAddress } };
  await program.call("POST /cards/{cardId}/replace", request);
  return request;
};

const closed =
  (preparation: Preparation): Preparation =>
  async (program) => {
    const request = await preparation(program);
    await program.call("POST /cards/{cardId}/close", { path: { ...request.path }, body: {} });
    return request;
  };

/** A Card that has had all plastics that it can. */
const worn =
  (preparation: Preparation): Preparation =>
  async (program) => {
    const request = await preparation(program);
    const { path } = request;
    for (let made = 1; made < 50; made += 1)
      await program.call("POST /cards/{cardId}/replace", { path: { ...path }, body: { reason: "lost" } });
    return request;
  };

export const plasticCases: readonly EndpointCases[] = [
  { route: "GET /cards/{cardId}/plastics", success: replaced },
  {
    route: "GET /account-updates",
    success: async (program) => {
      const { path, body } = await lost(program);
      await program.call("POST /cards/{cardId}/replace", { path: { ...path }, body });
      return { query: { kind: "number" } };
    },
  },
  {
    route: "POST /cards/{cardId}/replace",
    success: lost,
    refusals: {
      ILLEGAL_TRANSITION: closed(lost),
      CARD_BLOCKED: blocked(lost),
      REPLACEMENT_PENDING: replaced,
      LIMIT_REACHED: worn(lost),
    },
  },
  {
    route: "POST /cards/{cardId}/renew",
    success: active,
    refusals: {
      ILLEGAL_TRANSITION: closed(active),
      CARD_BLOCKED: blocked(active),
      REPLACEMENT_PENDING: async (program) => ({ path: (await replaced(program)).path, body: {} }),
      LIMIT_REACHED: worn(active),
    },
  },
];
