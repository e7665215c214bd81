import { givenCard, givenWallet } from "../given-cards.ts";
import type { EndpointCases, Preparation } from "./case.ts";
import { fundedByWallet } from "./funding-cases.ts";

const route = "PUT /cards/{cardId}/top-up";

/** A new Card and Wallet: the Wallet has no money, so that nothing moves. */
const given: Preparation = async (program) => {
  const { cardId } = await givenCard(program);
  const walletId = await givenWallet(program);
  return { path: { cardId }, body: { walletId, threshold: 1_000, amount: 5_000, dailyMax: 20_000 } };
};

const put: Preparation = async (program) => {
  const request = await given(program);
  await program.call(route, request);
  return { path: { ...request.path } };
};

export const topUpCases: readonly EndpointCases[] = [
  {
    route,
    success: given,
    refusals: {
      CARD_FUNDED_BY_WALLET: async (program) => ({
        ...(await given(program)),
        ...(await fundedByWallet(program)),
      }),
      ILLEGAL_TRANSITION: async (program) => {
        const request = await given(program);
        await program.call("POST /cards/{cardId}/close", { path: { ...request.path }, body: {} });
        return request;
      },
    },
  },
  { route: "GET /cards/{cardId}/top-up", success: put },
  { route: "DELETE /cards/{cardId}/top-up", success: put },
];
