import {
  givenApprovedCardholder,
  givenCard,
  givenCardholder,
  givenWallet,
  shippingAddress,
} from "../given-cards.ts";
import {
  and,
  blocked,
  called,
  changing,
  type EndpointCases,
  externalIdTaken,
  newCard,
  type Preparation,
  unknownId,
} from "./case.ts";
import { fundedByWallet } from "./funding-cases.ts";

const closed = called("POST /cards/{cardId}/close", newCard);
const funded = called("POST /cards/{cardId}/bank-deposit", newCard, { amount: 2_500 });

const unloading = and(funded, async (program) => ({
  body: { walletId: await givenWallet(program, 0), amount: 1_000, memo: "Refund" },
}));

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

const plain = (cardholderId: string, cardType = 0) => ({ body: { cardholderId, cardForm: 0, cardType } });

/** A Card with all that can be chosen. */
const chosen: Preparation = async (program) => ({
  body: {
    ...plain(await givenApprovedCardholder(program)).body,
    externalId: "c-1",
    bin: "400000",
    controls: [cashless],
    singleUse: true,
    load: { walletId: await givenWallet(program, 2_500), amount: 2_500, memo: "First" },
  },
});

export const cardCases: EndpointCases = {
  "GET /cards": async (program) => {
    const { cardholderId } = await givenCard(program);
    return { query: { cardholderId, issuerCardStatus: "1", orderBy: "cardId", sort: "asc", limit: "10" } };
  },
  "POST /cards": [
    chosen,
    {
      NOT_FOUND: plain(unknownId("chd")),
      COMPLIANCE_STATE: async (program) => plain(await givenCardholder(program)),
      DESIGN_NOT_APPROVED: async (program) => plain(await givenApprovedCardholder(program), 1),
      LIMIT_REACHED: changing(chosen, { controls: Array.from({ length: 10 }, () => cashless) }),
      INSUFFICIENT_FUNDS: changing(chosen, async (program) => ({
        load: { walletId: await givenWallet(program), amount: 1 },
      })),
      EXTERNAL_ID_EXISTS: externalIdTaken(async (program) => plain(await givenApprovedCardholder(program))),
    },
  ],
  "GET /cards/{cardId}": newCard,
  "PUT /cards/{cardId}": [
    and(newCard, { body: { externalId: "order-2", metadata: { costCentre: "4711" } } }),
    { EXTERNAL_ID_EXISTS: externalIdTaken(newCard) },
  ],
  "GET /cards/{cardId}/status": newCard,
  "PUT /cards/{cardId}/status": [
    and(newCard, { body: { status: 2 } }),
    { ILLEGAL_TRANSITION: and(newCard, { body: { status: 1 } }) },
  ],
  "POST /cards/{cardId}/activate": physical,
  "POST /cards/{cardId}/close": [
    and(funded, async (program) => ({ body: { sweepToWalletId: await givenWallet(program, 10_000) } })),
    {
      ILLEGAL_TRANSITION: and(closed, { body: {} }),
      CARD_BLOCKED: blocked(and(newCard, { body: {} })),
      CARD_NOT_EMPTY: and(funded, { body: {} }),
    },
  ],
  "POST /cards/{cardId}/unload": [
    unloading,
    {
      CARD_FUNDED_BY_WALLET: and(fundedByWallet, async (program) => ({
        body: { walletId: await givenWallet(program, 0), amount: 1_000 },
      })),
    },
  ],
  "GET /cards/{cardId}/balance": funded,
  "POST /cards/{cardId}/bank-deposit": [
    and(newCard, { body: { amount: 2_500, reference: "INV-7", externalId: "d-1" } }),
    { ILLEGAL_TRANSITION: and(closed, { body: { amount: 2_500 } }) },
  ],
  "POST /cards/{cardId}/deposit": newCard,
};
