import * as z from "zod";
import { DecidedBy } from "../contract/authorization-endpoint.ts";
import { EntryMode, FailedCheck, Unread } from "../contract/card-network.ts";
import { Currency, TransactionStatus, TransactionType } from "../contract/enums.ts";
import { integerEnum } from "../contract/primitives.ts";
import { AuthorizationDeclineReason } from "../contract/transactions.ts";
import { presentedFields } from "../contract/verification.ts";
import { defineList, rides } from "../lists/kind.ts";
import { defineEntity } from "../platform/table/entity.ts";

/** What a reversal of a posted purchase gave back, of which postings as far as they are known. */
export const GaveBack = z.object({
  authorizationId: z.string(),
  parts: z.array(z.object({ transId: z.string(), amountMinor: z.int() })),
  /** What is given back of postings that the hold names no more. */
  olderMinor: z.int().optional(),
});
export type GaveBack = z.output<typeof GaveBack>;

/** What is not free any more of a posting. */
const Claimed = z.object({
  /** Open and won disputes, and refunds that name it. */
  claimedMinor: z.int().optional(),
  /** How much of that are refunds. */
  refundedMinor: z.int().optional(),
  /** How much of that are disputes that are won or written off. */
  settledMinor: z.int().optional(),
  /** What its disputes have credited. The Card has what refunds leave of it. */
  creditedMinor: z.int().optional(),
  /** Its hold names it no more, and has a sum of what is free of these. */
  isOlder: z.boolean().optional(),
  /** What the network's reversals have given back. */
  reversedMinor: z.int().optional(),
});

/** What a control counted of a transaction, and where it is given back. Times in milliseconds. */
export const Counted = z.object({
  controlId: z.string(),
  transId: z.string(),
  at: z.number(),
  /** When the control had begun to count. */
  since: z.number(),
  /** The beginning of the period. */
  from: z.number(),
  amount: z.int(),
  count: z.int(),
});
export type Counted = z.output<typeof Counted>;

/** What a control refuses. */
export const RefusedBy = z.enum([
  "mcc",
  "country",
  "merchantId",
  "currency",
  "cash",
  "entryMode",
  "addressLine",
  "postalCode",
  "cvc",
  "expiry",
  "pin",
  "threeDS",
  "entryCapability",
  "storedCredential",
  "wallet",
  "singleUse",
  "merchantLock",
  "authentication",
  "amount",
  "count",
]);
export type RefusedBy = z.output<typeof RefusedBy>;

/** Why something was declined, as short as a sentence for people can be made of it. */
export const Refusal = z.object({
  /** What the Card had. */
  availableMinor: z.int().optional(),
  /** The rule of the control. */
  by: RefusedBy.optional(),
  /** The most in a velocity's window, and what was used of it: amounts, or counts. */
  limit: z.int().optional(),
  used: z.int().optional(),
  window: z.string().optional(),
});
export type Refusal = Readonly<z.output<typeof Refusal>>;

export const DeclineNote = z.object({
  /** What was asked for. */
  amountMinor: z.int(),
  reason: AuthorizationDeclineReason,
  controlId: z.string().optional(),
  refusal: Refusal.optional(),
});
export type DeclineNote = Readonly<z.output<typeof DeclineNote>>;

/** What the network sent: simulations of spend controls decide it again. */
export const SentEvent = z.object({
  kind: z.string(),
  /** What was asked for: a partial approval posts less. Absent for all that is held. */
  amount: z.int().optional(),
  partialApprovalSupported: z.boolean().optional(),
  entryMode: EntryMode.optional(),
  unread: z.array(Unread).optional(),
  ...presentedFields,
  /** Absent where the record has the Card's own. */
  srcCurrency: z.string().optional(),
  final: z.boolean().optional(),
  advice: z.boolean().optional(),
  feeAmount: z.int().optional(),
  withinHold: z.boolean().optional(),
  failedCheck: FailedCheck.optional(),
  total: z.boolean().optional(),
  mayBeDone: z.boolean().optional(),
  withFee: z.boolean().optional(),
  /** A total has it, or an event without a transaction. */
  occurredAt: z.string().optional(),
  /** An event without a transaction has it: if it is not the Card's, it is rejected. */
  billingCurrency: z.string().optional(),
  /** When the platform's own expiry was due. */
  dueAt: z.string().optional(),
});
export type SentEvent = Readonly<z.output<typeof SentEvent>>;

/** Where it happened, as the network said it. */
const place = {
  merchantName: z.string().optional(),
  mcc: z.string().optional(),
  merchantId: z.string().optional(),
  merchantCity: z.string().optional(),
  merchantCountry: z.string().optional(),
};

/** `srcAmount` is in minor units of `srcCurrency`. */
export const StoredMerchant = z.object({
  ...place,
  srcAmount: z.int().optional(),
  srcCurrency: z.string().optional(),
});

/** Every event on a card leaves one. Texts were validated when written. */
const Transaction = z.object({
  programId: z.string(),
  cardId: z.string(),
  cardholderId: z.string(),
  currency: integerEnum(Currency),
  transId: z.string(),
  /** The `transId` of a listed transaction. */
  entityId: z.string().optional(),
  transType: integerEnum(TransactionType),
  transStatus: integerEnum(TransactionStatus),
  type: z.enum(["DR", "CR"]),
  /** The change of the ledger balance or of the hold; the requested amount of a decline; else 0. */
  amountMinor: z.int(),
  /** What the network told that the Program earns with it; negative for what it pays. */
  interchangeMinor: z.int().optional(),
  /** What the merchant billed, in minor units of `srcCurrency` (ISO 4217 numeric). */
  srcAmountMinor: z.int().optional(),
  srcCurrency: z.string().optional(),
  ...place,
  referenceCode: z.string(),
  description: z.string(),
  transDate: z.string(),
  /** Absent where it is not posted. */
  postDate: z.string().optional(),
  createdAt: z.string(),
  declineReason: AuthorizationDeclineReason.optional(),
  /** The control that declined it. */
  controlId: z.string().optional(),
  refusal: Refusal.optional(),
  /** Only a Program that has, or had, an authorization endpoint has it. */
  decidedBy: DecidedBy.optional(),
  /** Without a hold: what it counts for in the usage of controls. */
  counted: z.array(Counted).optional(),
  /** Only what spend controls decide or count has it. */
  event: SentEvent.optional(),
  /** How the card was presented for the authorization that a clearing names. */
  ...presentedFields,
  authorizationId: z.string().optional(),
  /** The Wallet that paid it, instead of the Card's own account. */
  fundingWalletId: z.string().optional(),
  /** The token that it records a step of, or that a purchase was made with. */
  tokenId: z.string().optional(),
  /** The released part of the authorization's hold. */
  releasedMinor: z.int().optional(),
  /** What it adds to its authorization, if that does not follow from its type and amounts. */
  added: z.object({ authorizedMinor: z.int(), releasedMinor: z.int() }).optional(),
  /** Earlier transactions of the authorization, which its hold named until then. */
  earlierEvents: z.array(z.string()).optional(),
  /** The fee charged with it: an ATM withdrawal's parent. */
  feeId: z.string().optional(),
  /** The transaction, fee, transfer or deposit that it reverses, disputes or comes from. */
  relatedId: z.string().optional(),
  /** The transaction that reversed a refund. */
  reversedBy: z.string().optional(),
  /** What a purchase's reversal has refunded. */
  gaveBack: GaveBack.optional(),
  ...Claimed.shape,
});
export type Transaction = Readonly<z.output<typeof Transaction>>;

export const transactions = defineEntity({
  name: "transaction",
  schema: Transaction,
  key: (programId: string, cardId: string, transId: string) => ({
    pk: `${programId}#${cardId}`,
    sk: `TRANSACTION#${transId}`,
  }),
});

export const transactionList = defineList({
  name: "transactions",
  filters: ["transType", "transStatus"],
  orders: ["transDate", "amountMinor"],
  carried: ["cardId"],
  carriedByTime: ["type", "mcc"],
  times: ["transDate"],
  ...rides,
  recordKey: ({ programId }, transId, { cardId }) => transactions.key(programId, String(cardId), transId),
  // An unlisted transaction is stored beside the others, without an `entityId`.
  toRecord: (stored) => (stored.entityId === undefined ? undefined : stored),
});

export function toShownMerchant(merchant: z.output<typeof StoredMerchant>) {
  const { merchantName: name, merchantId: id, mcc, merchantCity: city, merchantCountry: country } = merchant;
  return { name, id, mcc, city, country };
}
