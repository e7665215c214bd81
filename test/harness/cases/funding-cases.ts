import { givenCard, givenWallet } from "../given-cards.ts";
import type { EndpointCases, Preparation } from "./case.ts";

const route = "PUT /cards/{cardId}/funding";

const given: Preparation = async (program) => {
  const { cardId } = await givenCard(program);
  const fundingWalletId = await givenWallet(program, 2_500);
  return { path: { cardId }, body: { fundingWalletId, spendLimit: { amount: 2_000, window: "month" } } };
};

/** A Card that spends from a Wallet. */
export const fundedByWallet: Preparation = async (program) => {
  const request = await given(program);
  await program.call(route, request);
  return { path: { ...request.path } };
};

export const fundingCases: readonly EndpointCases[] = [
  { route: "GET /cards/{cardId}/funding", success: fundedByWallet },
  {
    route,
    success: given,
    refusals: {
      ILLEGAL_TRANSITION: async (program) => {
        const request = await given(program);
        await program.call("POST /cards/{cardId}/close", { path: { ...request.path }, body: {} });
        return request;
      },
      CARD_NOT_EMPTY: async (program) => {
        const request = await given(program);
        await program.call("POST /cards/{cardId}/bank-deposit", {
          path: { ...request.path },
          body: { amount: 2_500 },
        });
        return request;
      },
    },
  },
];
