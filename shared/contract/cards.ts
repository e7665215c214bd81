import * as z from "zod";
import { addressFields, withPostalCode } from "./addresses.ts";
import { Balances, BankDeposit, BankDepositResponse } from "./balances.ts";
import { CardControl } from "./controls.ts";
import {
  CardApprovalStatus,
  CardForm,
  CardStatus,
  Currency,
  SettableCardStatus,
  TransferStatus,
} from "./enums.ts";
import { SpendLimit, withLimitRule } from "./funding.ts";
import {
  amount,
  besideOtherFaults,
  bin,
  creditorReference,
  DeprecatedAnswer,
  externalId,
  id,
  integerEnum,
  labelChanges,
  labels,
  listQuery,
  memo,
  positiveAmount,
  prose,
  queryEnum,
  text,
  timestamp,
} from "./primitives.ts";
import { routesWith } from "./route.ts";
import { Shipping } from "./shipping.ts";
import { CardUnload, CardUnloadResponse } from "./wallets.ts";

export const shippingAddress = withPostalCode(
  z.object({ recipient: prose(100).optional(), ...addressFields }),
);

/** The characters that a card bureau can print. */
const nameOnCard = text(26).regex(
  /^[\p{Script=Latin}\p{M}\d .,'’&/-]*$/u,
  "must be of letters of the Latin script, digits, spaces and . , ' & / -",
);

const CardLoad = z.object({
  walletId: text(64),
  amount: positiveAmount,
  memo: memo.optional(),
  externalId: externalId.optional(),
});

const checkExpiry = z.superRefine<{ expiryMonth?: unknown; expiryYear?: unknown }>((given, context) => {
  const { expiryMonth, expiryYear } = given;
  if ((expiryMonth === undefined) === (expiryYear === undefined)) return;
  const [missing, other] =
    expiryMonth === undefined ? ["expiryMonth", "expiryYear"] : ["expiryYear", "expiryMonth"];
  const message = `is required where ${other} is given`;
  context.addIssue({ code: "custom", path: [missing], message, input: given });
});

export const cardFields = {
  cardholderId: text(64),
  cardForm: integerEnum(CardForm),
  /** The design slot. */
  cardType: z.int().min(0).max(2),
  /** Default: the Cardholder's name, if all of it can be printed. */
  nameOnCard: nameOnCard.optional(),
  shippingAddress: shippingAddress.optional(),
  ...labels,
  /** The month to whose end the Card is valid: this one to eight years ahead, in UTC. */
  expiryMonth: z.int().min(1).max(12).optional(),
  expiryYear: z.int().min(2000).max(2199).optional(),
  /** One of the Program's BINs. Default: the first. */
  bin: bin.optional(),
  /** Spend controls of the Card alone, in force from its first authorization on. */
  controls: z.array(CardControl).max(10).optional(),
  /** A spend control that declines everything after the first approval. */
  singleUse: z.boolean().optional(),
  /** A transfer from a Wallet, or no Card is issued. It must be Active at once. */
  load: CardLoad.optional(),
  /** The Wallet that it spends from, instead of money of its own. It cannot be loaded then. */
  fundingWalletId: text(64).optional(),
  /** The most that it spends of that Wallet in each window. */
  spendLimit: SpendLimit.optional(),
};

/** The rules over several fields. */
export function withCardRules<S extends z.ZodObject>(schema: S): S {
  return withLimitRule(schema)
    .check(checkExpiry as never)
    .refine((card) => card.cardForm !== CardForm.physical || card.shippingAddress !== undefined, {
      path: ["shippingAddress"],
      message: "is required for a physical card",
      when: besideOtherFaults,
    });
}

export const CardCreate = withCardRules(z.object(cardFields));
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
  /** Whether the platform has blocked the Card. It then declines all that can be declined. */
  blocked: z.boolean(),
  cardForm: integerEnum(CardForm),
  cardType: z.int(),
  /** The first six and last four digits. The other digits are never stored. */
  maskedCardNumber: z.string().regex(/^\d{6}\*{6}\d{4}$/),
  expiryMonth: z.int().min(1).max(12),
  expiryYear: z.int(),
  /** Whose number, expiry and shipping these are: the active plastic, or else the newest. */
  plasticId: id("plastic").optional(),
  /** A replacement that was made and is not activated yet. */
  pendingPlasticId: id("plastic").optional(),
  cardToken: z.string(),
  nameOnCard: z.string(),
  cardHolderLastName: z.string(),
  ...labels,
  currency: integerEnum(Currency),
  /** The Wallet that it spends from. Absent where it has money of its own. */
  fundingWalletId: id("wallet").optional(),
  /** The most that it spends of that Wallet in each window. */
  spendLimit: SpendLimit.optional(),
  createdDatetime: timestamp,
  creditorReference: creditorReference.optional(),
  cryptoAddresses: z.array(CryptoAddress),
  /** Where a physical card is on its way. Others have none. */
  shipping: Shipping.optional(),
});
export type CardViewMasked = z.output<typeof CardViewMasked>;

/** A new Card, with what was made with it. */
export const IssuedCard = CardViewMasked.extend({
  /** As they were given; the one of `singleUse` is the last. */
  controlIds: z.array(id("control")).optional(),
  /** The transfer that loaded it. */
  load: z.object({ transferId: id("transfer"), transStatus: integerEnum(TransferStatus) }).optional(),
});
export type IssuedCard = z.output<typeof IssuedCard>;

export const CardListItem = z.object({
  cardId: id("card"),
  cardholderId: id("cardholder"),
  cardHolderLastName: z.string(),
  /** The operational status. */
  status: integerEnum(CardStatus),
  blocked: z.boolean(),
  cardForm: integerEnum(CardForm),
  maskedCardNumber: z.string(),
  externalId: externalId.optional(),
  createdDatetime: timestamp,
  /** The Wallet that it spends from. Absent where it has money of its own. */
  fundingWalletId: id("wallet").optional(),
  /** The most that it spends of that Wallet in each window. */
  spendLimit: SpendLimit.optional(),
});

/** Omitted fields stay unchanged. */
export const CardUpdate = z.object(labelChanges);

export const CardActivation = z.object({
  lastFour: z.string().regex(/^\d{4}$/, "must be four digits"),
  expiryMonth: z.int().min(1).max(12),
  expiryYear: z.int().min(2000).max(2199),
});

export const CardClose = z.object({ sweepToWalletId: text(64).optional() });

export const CardStatusUpdate = z.object({ status: integerEnum(SettableCardStatus) });

export const CardStatusView = z.object({ status: integerEnum(CardStatus) });

export const CardBalance = Balances.extend({
  currency: integerEnum(Currency),
  /** The Wallet that the Card spends from: the balances are the Wallet's. */
  fundingWalletId: id("wallet").optional(),
  /** Minor units: what this Card may still spend of it. Never below 0. */
  spendable: amount.optional(),
  /** Minor units: this Card's open holds on it. */
  held: amount.optional(),
});

export const cardListQuery = listQuery(
  ["cardId", "issuerCardStatus", "cardholderId", "cardHolderLastName", "createdDatetime"],
  {
    issuerCardStatus: queryEnum(CardStatus).optional(),
    cardholderId: text(64).optional(),
    externalId: externalId.optional(),
    lastFour: z
      .string()
      .regex(/^\d{4}$/, "must be four digits")
      .optional(),
    cardForm: queryEnum(CardForm).optional(),
    /** The Cards that spend from this Wallet. */
    fundingWalletId: text(64).optional(),
    /** How the Cardholder's last name, first name, or both begin, blind for case and accents. */
    name: text(200).optional(),
  },
  { orderBy: "createdDatetime", sort: "desc" },
);

const route = routesWith({ api: "platform", function: "cards" });

export const cardRoutes = [
  route("GET /cards", "read listCards", "List Cards", { query: cardListQuery, items: CardListItem }),
  route("POST /cards", "write issueCard", "Issue a Card", {
    creates: true,
    body: CardCreate,
    data: IssuedCard,
    errors: ["NOT_FOUND", "COMPLIANCE_STATE", "DESIGN_NOT_APPROVED", "LIMIT_REACHED", "INSUFFICIENT_FUNDS"],
  }),
  route("GET /cards/{cardId}", "read viewCard", "View a Card with its masked number", {
    data: CardViewMasked,
  }),
  route("PUT /cards/{cardId}", "write updateCard", "Change what the caller has named and noted of a Card", {
    body: CardUpdate,
    data: CardViewMasked,
  }),
  route("GET /cards/{cardId}/status", "read viewStatus", "View a Card's operational status", {
    data: CardStatusView,
  }),
  route("PUT /cards/{cardId}/status", "write changeStatus", "Put a Card on hold or release it", {
    body: CardStatusUpdate,
    data: CardStatusView,
    errors: ["ILLEGAL_TRANSITION", "CARD_BLOCKED"],
  }),
  route("POST /cards/{cardId}/activate", "write activateCard", "Activate a physical Card", {
    body: CardActivation,
    data: CardViewMasked,
    errors: ["ILLEGAL_TRANSITION", "CARD_BLOCKED"],
  }),
  route(
    "POST /cards/{cardId}/close",
    "money closeCard",
    "Close a Card, and optionally sweep its balance to a Wallet",
    {
      body: CardClose,
      data: CardViewMasked,
      errors: ["ILLEGAL_TRANSITION", "CARD_BLOCKED", "CARD_NOT_EMPTY"],
      movesFunds: true,
    },
  ),
  route(
    "POST /cards/{cardId}/unload",
    "money unloadCard",
    "Transfer from a Card to a Wallet, in any status unless the platform has blocked the Card",
    {
      body: CardUnload,
      data: CardUnloadResponse,
      errors: ["CARD_BLOCKED", "CARD_FUNDED_BY_WALLET"],
      movesFunds: true,
    },
  ),
  route("GET /cards/{cardId}/balance", "read viewBalance", "View a Card's balances", { data: CardBalance }),
  route("POST /cards/{cardId}/bank-deposit", "money depositOnCard", "Deposit on a Card from a bank account", {
    body: BankDeposit,
    data: BankDepositResponse,
    errors: ["ILLEGAL_TRANSITION"],
    movesFunds: true,
  }),
  route(
    "POST /cards/{cardId}/deposit",
    "money notifyDeposit",
    "Notify a blockchain deposit (deprecated: deposits need no notification)",
    { data: DeprecatedAnswer, deprecated: "2026-01-01" },
  ),
] as const;
