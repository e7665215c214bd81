import * as z from "zod";
import { Balances, BankDeposit, BankDepositResponse } from "./balances.ts";
import { CardApprovalStatus, CardForm, CardStatus, Currency, SettableCardStatus } from "./enums.ts";
import {
  besideOtherFaults,
  country,
  DeprecatedAnswer,
  externalId,
  id,
  integerEnum,
  listQuery,
  queryEnum,
  text,
  timestamp,
} from "./primitives.ts";
import { route } from "./route.ts";
import { CardUnload, CardUnloadResponse } from "./wallets.ts";

const shippingAddress = z.object({
  recipient: text(100).optional(),
  line1: text(100),
  line2: text(100).optional(),
  city: text(50),
  state: text(50).optional(),
  postalCode: text(20),
  country,
});

/** What a card bureau can print. */
const nameOnCard = text(26).regex(
  /^[\p{Script=Latin}\p{M}\d .,'’&/-]*$/u,
  "must be of letters of the Latin script, digits, spaces and . , ' & / -",
);

export const CardCreate = z
  .object({
    cardholderId: text(64),
    cardForm: integerEnum(CardForm),
    /** Card Design slot. */
    cardType: z.int().min(0).max(2),
    /** The Cardholder's name where it is left out. */
    nameOnCard: nameOnCard.optional(),
    shippingAddress: shippingAddress.optional(),
    externalId: externalId.optional(),
  })
  .refine((card) => card.cardForm !== CardForm.physical || card.shippingAddress !== undefined, {
    path: ["shippingAddress"],
    message: "is required for a physical card",
    when: besideOtherFaults,
  });
export type CardCreate = z.output<typeof CardCreate>;

export const CryptoAddress = z.object({
  chain: z.enum(["bitcoin", "ethereum", "tron"]),
  address: z.string(),
  addressTag: z.string().nullable(),
});
export type CryptoAddress = z.output<typeof CryptoAddress>;

export const CardViewMasked = z.object({
  cardId: id("card"),
  cardholderId: id("cardholder"),
  cardStatus: integerEnum(CardApprovalStatus),
  issuerCardStatus: integerEnum(CardStatus),
  /** Stopped by the platform: it declines whatever its status, and the Program cannot lift it. */
  blocked: z.boolean(),
  cardForm: integerEnum(CardForm),
  cardType: z.int(),
  /** First six and last four digits; the digits between are never stored. */
  maskedCardNumber: z.string().regex(/^\d{6}\*{6}\d{4}$/),
  expiryMonth: z.int().min(1).max(12),
  expiryYear: z.int(),
  cardToken: z.string(),
  nameOnCard: z.string(),
  cardHolderLastName: z.string(),
  externalId: externalId.optional(),
  currency: integerEnum(Currency),
  createdDatetime: timestamp,
  cryptoAddresses: z.array(CryptoAddress),
});
export type CardViewMasked = z.output<typeof CardViewMasked>;

export const CardListItem = z.object({
  cardId: id("card"),
  cardholderId: id("cardholder"),
  cardHolderLastName: z.string(),
  /** Operational status. */
  status: integerEnum(CardStatus),
  blocked: z.boolean(),
  cardForm: integerEnum(CardForm),
  maskedCardNumber: z.string(),
  createdDatetime: timestamp,
});

export const CardActivation = z.object({
  lastFour: z.string().regex(/^\d{4}$/, "must be four digits"),
  expiryMonth: z.int().min(1).max(12),
  expiryYear: z.int().min(2000).max(2199),
});

export const CardClose = z.object({ sweepToWalletId: text(64).optional() });

export const CardStatusUpdate = z.object({ status: integerEnum(SettableCardStatus) });

export const CardStatusView = z.object({ status: integerEnum(CardStatus) });

export const CardBalance = Balances.extend({ currency: integerEnum(Currency) });

export const cardListQuery = listQuery(
  ["cardId", "issuerCardStatus", "cardholderId", "cardHolderLastName", "createdDatetime"],
  { orderBy: "createdDatetime", sort: "desc" },
  { issuerCardStatus: queryEnum(CardStatus).optional(), cardholderId: text(64).optional() },
);

export const cardRoutes = [
  route({
    api: "platform",
    function: "cards",
    method: "GET",
    path: "/cards",
    summary: "List Cards",
    answer: "list",
    query: cardListQuery,
    response: CardListItem,
    errors: [],
  }),
  route({
    api: "platform",
    function: "cards",
    method: "POST",
    path: "/cards",
    summary: "Issue a Card",
    answer: "detail",
    body: CardCreate,
    response: CardViewMasked,
    errors: ["NOT_FOUND", "COMPLIANCE_STATE", "DESIGN_NOT_APPROVED"],
  }),
  route({
    api: "platform",
    function: "cards",
    method: "GET",
    path: "/cards/{cardId}",
    summary: "View a Card, masked",
    answer: "detail",
    response: CardViewMasked,
    errors: ["NOT_FOUND"],
  }),
  route({
    api: "platform",
    function: "cards",
    method: "GET",
    path: "/cards/{cardId}/status",
    summary: "View a Card's operational status",
    answer: "detail",
    response: CardStatusView,
    errors: ["NOT_FOUND"],
  }),
  route({
    api: "platform",
    function: "cards",
    method: "PUT",
    path: "/cards/{cardId}/status",
    summary: "Put a Card on hold or release it",
    answer: "detail",
    body: CardStatusUpdate,
    response: CardStatusView,
    errors: ["NOT_FOUND", "ILLEGAL_TRANSITION", "CARD_BLOCKED"],
  }),
  route({
    api: "platform",
    function: "cards",
    method: "POST",
    path: "/cards/{cardId}/activate",
    summary: "Activate a physical Card",
    answer: "detail",
    body: CardActivation,
    response: CardViewMasked,
    errors: ["NOT_FOUND", "ILLEGAL_TRANSITION", "CARD_BLOCKED"],
  }),
  route({
    api: "platform",
    function: "cards",
    method: "POST",
    path: "/cards/{cardId}/close",
    summary: "Close a Card, sweeping its money to a Wallet if asked",
    answer: "detail",
    body: CardClose,
    response: CardViewMasked,
    errors: ["NOT_FOUND", "ILLEGAL_TRANSITION", "CARD_BLOCKED", "CARD_NOT_EMPTY"],
    movesFunds: true,
  }),
  route({
    api: "platform",
    function: "cards",
    method: "POST",
    path: "/cards/{cardId}/unload",
    summary: "Move money from a Card in any status to a Wallet, unless the platform has blocked the Card",
    answer: "detail",
    body: CardUnload,
    response: CardUnloadResponse,
    errors: ["NOT_FOUND", "CARD_BLOCKED"],
    movesFunds: true,
  }),
  route({
    api: "platform",
    function: "cards",
    method: "GET",
    path: "/cards/{cardId}/balance",
    summary: "View a Card's balances",
    answer: "detail",
    response: CardBalance,
    errors: ["NOT_FOUND"],
  }),
  route({
    api: "platform",
    function: "cards",
    method: "POST",
    path: "/cards/{cardId}/bank-deposit",
    summary: "Deposit from a bank account on a Card",
    answer: "detail",
    body: BankDeposit,
    response: BankDepositResponse,
    errors: ["NOT_FOUND", "ILLEGAL_TRANSITION"],
    movesFunds: true,
  }),
  route({
    api: "platform",
    function: "cards",
    method: "POST",
    path: "/cards/{cardId}/deposit",
    summary: "Notify a blockchain deposit (deprecated: deposits need no notification)",
    answer: "detail",
    response: DeprecatedAnswer,
    errors: ["NOT_FOUND"],
    deprecated: "2026-01-01",
  }),
] as const;
