import { givenWallet } from "../given-cards.ts";
import { and, called, closedCard, type EndpointCases, newCard, type Preparation } from "./case.ts";

const funding = and(newCard, async (program) => {
  const fundingWalletId = await givenWallet(program, 2_500);
  return { body: { fundingWalletId, spendLimit: { amount: 2_000, window: "month" } } };
});

/** The Wallet has no money, so that nothing moves. */
const topUp = and(newCard, async (program) => {
  const walletId = await givenWallet(program);
  return { body: { walletId, threshold: 1_000, amount: 5_000, dailyMax: 20_000 } };
});

const pathOnly =
  (first: Preparation): Preparation =>
  async (program) => ({ path: (await first(program)).path ?? {} });

/** A Card that spends from a Wallet. */
export const fundedByWallet = pathOnly(called("PUT /cards/{cardId}/funding", funding));
const toppedUp = pathOnly(called("PUT /cards/{cardId}/top-up", topUp));

export const fundingCases: EndpointCases = {
  "GET /cards/{cardId}/funding": fundedByWallet,
  "PUT /cards/{cardId}/funding": [
    funding,
    {
      ILLEGAL_TRANSITION: closedCard,
      CARD_NOT_EMPTY: called("POST /cards/{cardId}/bank-deposit", funding, { amount: 2_500 }),
    },
  ],
  "PUT /cards/{cardId}/top-up": [
    topUp,
    { CARD_FUNDED_BY_WALLET: and(topUp, fundedByWallet), ILLEGAL_TRANSITION: closedCard },
  ],
  "GET /cards/{cardId}/top-up": toppedUp,
  "DELETE /cards/{cardId}/top-up": toppedUp,
};
