import {
  givenApprovedCardholder,
  givenCard,
  givenCardholder,
  givenWallet,
  shippingAddress,
} from "../given-cards.ts";
import { blocked, type EndpointCases, externalIdTaken, type Preparation, unknownId } from "./case.ts";
import { fundedByWallet } from "./funding-cases.ts";

const active: Preparation = async (program) => ({ path: { cardId: (await givenCard(program)).cardId } });

const closed: Preparation = async (program) => {
  const request = await active(program);
  await program.call("POST /cards/{cardId}/close", request);
  return request;
};

const funded: Preparation = async (program) => {
  const request = await active(program);
  await program.call("POST /cards/{cardId}/bank-deposit", { ...request, body: { amount: 2_500 } });
  return request;
};

const unloading: Preparation = async (program) => ({
  ...(await funded(program)),
  body: { walletId: await givenWallet(program, 0), amount: 1_000, memo: "Refund" },
});

/** A physical card on its way, and what is printed on it. */
const physical: Preparation = async (program) => {
  const card = await givenCard(program, { cardForm: 1, shippingAddress });
  const { cardId, maskedCardNumber, expiryMonth, expiryYear } = card;
  return {
    path: { cardId },
    body: { lastFour: String(maskedCardNumber).slice(-4), expiryMonth, expiryYear },
  };
};

const cashless = { name: "No cash", cash: "block" };

/** A Card with all that can be chosen. */
const chosen: Preparation = async (program) => ({
  body: {
    cardholderId: await givenApprovedCardholder(program),
    cardForm: 0,
    cardType: 0,
    externalId: "c-1",
    bin: "400000",
    controls: [cashless],
    singleUse: true,
    load: { walletId: await givenWallet(program, 2_500), amount: 2_500, memo: "First" },
  },
});

const issuing =
  (details: object): Preparation =>
  async (program) => {
    const request = await chosen(program);
    return { ...request, body: { ...(request.body as object), ...details } };
  };

export const cardCases: readonly EndpointCases[] = [
  {
    route: "GET /cards",
    success: async (program) => {
      const { cardholderId } = await givenCard(program);
      return { query: { cardholderId, issuerCardStatus: "1", orderBy: "cardId", sort: "asc", limit: "10" } };
    },
  },
  {
    route: "POST /cards",
    success: chosen,
    refusals: {
      NOT_FOUND: async () => ({ body: { cardholderId: unknownId("chd"), cardForm: 0, cardType: 0 } }),
      COMPLIANCE_STATE: async (program) => ({
        body: { cardholderId: await givenCardholder(program), cardForm: 0, cardType: 0 },
      }),
      DESIGN_NOT_APPROVED: async (program) => ({
        body: { cardholderId: await givenApprovedCardholder(program), cardForm: 0, cardType: 1 },
      }),
      LIMIT_REACHED: issuing({ controls: Array.from({ length: 10 }, () => cashless) }),
      INSUFFICIENT_FUNDS: async (program) =>
        issuing({ load: { walletId: await givenWallet(program), amount: 1 } })(program),
      EXTERNAL_ID_EXISTS: externalIdTaken("POST /cards", async (program) => ({
        body: { cardholderId: await givenApprovedCardholder(program), cardForm: 0, cardType: 0 },
      })),
    },
  },
  { route: "GET /cards/{cardId}", success: active },
  {
    route: "PUT /cards/{cardId}",
    success: async (program) => ({
      ...(await active(program)),
      body: { externalId: "order-2", metadata: { costCentre: "4711" } },
    }),
    refusals: { EXTERNAL_ID_EXISTS: externalIdTaken("PUT /cards/{cardId}", active) },
  },
  { route: "GET /cards/{cardId}/status", success: active },
  {
    route: "PUT /cards/{cardId}/status",
    success: async (program) => ({ ...(await active(program)), body: { status: 2 } }),
    refusals: {
      ILLEGAL_TRANSITION: async (program) => ({ ...(await active(program)), body: { status: 1 } }),
      CARD_BLOCKED: blocked(async (program) => ({ ...(await active(program)), body: { status: 2 } })),
    },
  },
  {
    route: "POST /cards/{cardId}/activate",
    success: physical,
    refusals: {
      ILLEGAL_TRANSITION: async (program) => {
        const request = await physical(program);
        await program.call("POST /cards/{cardId}/activate", request);
        return request;
      },
      CARD_BLOCKED: blocked(physical),
    },
  },
  {
    route: "POST /cards/{cardId}/close",
    success: async (program) => ({
      ...(await funded(program)),
      body: { sweepToWalletId: await givenWallet(program, 10_000) },
    }),
    refusals: {
      ILLEGAL_TRANSITION: async (program) => ({ ...(await closed(program)), body: {} }),
      CARD_BLOCKED: blocked(async (program) => ({ ...(await active(program)), body: {} })),
      CARD_NOT_EMPTY: async (program) => ({ ...(await funded(program)), body: {} }),
    },
  },
  {
    route: "POST /cards/{cardId}/unload",
    success: unloading,
    refusals: {
      CARD_FUNDED_BY_WALLET: async (program) => ({
        ...(await fundedByWallet(program)),
        body: { walletId: await givenWallet(program, 0), amount: 1_000 },
      }),
      CARD_BLOCKED: blocked(unloading),
      EXTERNAL_ID_EXISTS: externalIdTaken("POST /cards/{cardId}/unload", unloading),
    },
  },
  { route: "GET /cards/{cardId}/balance", success: funded },
  {
    route: "POST /cards/{cardId}/bank-deposit",
    success: async (program) => ({
      ...(await active(program)),
      body: { amount: 2_500, reference: "INV-7", externalId: "d-1" },
    }),
    refusals: {
      ILLEGAL_TRANSITION: async (program) => ({ ...(await closed(program)), body: { amount: 2_500 } }),
    },
  },
  { route: "POST /cards/{cardId}/deposit", success: active },
];
