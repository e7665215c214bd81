import * as z from "zod";
import { DecidedBy } from "../contract/authorization-endpoint.ts";
import { EntryMode, FailedCheck, type Merchant, Unread } from "../contract/card-network.ts";
import { currencyCodes } from "../contract/currencies.ts";
import { Currency, FeeType, numericCurrency, TransactionStatus, TransactionType } from "../contract/enums.ts";
import { integerEnum } from "../contract/primitives.ts";
import { AuthorizationDeclineReason } from "../contract/transactions.ts";
import { type ListKind, listInsert, listUpdate } from "../lists/entry.ts";
import { timestamp } from "../platform/clock.ts";
import { newId } from "../platform/id.ts";
import { all, exists } from "../platform/table/condition.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";

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

export interface RecordedCard {
  readonly programId: string;
  readonly cardId: string;
  readonly cardholderId: string;
  readonly currency: Currency;
}

/** What the network sent: simulations of spend controls decide it again. */
export const SentEvent = z.object({
  kind: z.string(),
  /** What was asked for: a partial approval posts less. Absent for all that is held. */
  amount: z.int().optional(),
  partialApprovalSupported: z.boolean().optional(),
  entryMode: EntryMode.optional(),
  unread: z.array(Unread).optional(),
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
  merchantName: z.string().optional(),
  mcc: z.string().optional(),
  merchantId: z.string().optional(),
  merchantCity: z.string().optional(),
  merchantCountry: z.string().optional(),
  referenceCode: z.string(),
  description: z.string(),
  transDate: z.string(),
  /** Absent where it is not posted. */
  postDate: z.string().optional(),
  createdAt: z.string(),
  declineReason: AuthorizationDeclineReason.optional(),
  /** The control that declined it. */
  controlId: z.string().optional(),
  /** Only a Program that has, or had, an authorization endpoint has it. */
  decidedBy: DecidedBy.optional(),
  /** Without a hold: what it counts for in the usage of controls. */
  counted: z.array(Counted).optional(),
  /** Only what spend controls decide or count has it. */
  event: SentEvent.optional(),
  authorizationId: z.string().optional(),
  /** The released part of the authorization's hold. */
  releasedMinor: z.int().optional(),
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

/** Not listed: holds have an aggregate line, releases post nothing, reversed deposits are gone. */
const unlistedTypes: ReadonlySet<TransactionType> = new Set([
  TransactionType.authorization,
  TransactionType.authorization_advice,
  TransactionType.authorization_incremental,
  TransactionType.authorization_reversal,
  TransactionType.authorization_reversal_issuerexpiration,
  TransactionType.authorization_standin,
  TransactionType.gpa_credit_pending_reversal,
  TransactionType.authorizationexpiry,
]);

/** Whether lists show the transaction; a declined one only with its filter. */
export function isListed({
  transType,
  amountMinor,
  interchangeMinor,
}: Pick<Transaction, "transType"> & Partial<Pick<Transaction, "amountMinor" | "interchangeMinor">>): boolean {
  // The clearing of cash that was posted in the same amount. Interchange moves money.
  const isCleared = transType === TransactionType.pindebit_authorization_clearing && amountMinor === 0;
  if (isCleared && !interchangeMinor) return false;
  return !unlistedTypes.has(transType);
}

export const transactionList: ListKind = {
  name: "transactions",
  filters: ["transType", "transStatus"],
  orders: ["transDate", "amountMinor"],
  carried: ["cardId"],
  times: ["transDate"],
  shards: 16,
  recordKey: ({ programId }, transId, { cardId }) => transactions.key(programId, String(cardId), transId),
  // An unlisted transaction is stored beside the others, without an `entityId`.
  toRecord: (stored) => (stored.entityId === undefined ? undefined : stored),
};

export function transactionPut(transaction: Transaction): WriteAction {
  const { programId, cardId, transId } = transaction;
  const item = transactions.at(programId, cardId, transId);
  if (!isListed(transaction)) return item.create(transaction);
  return {
    ...item.create({ entityId: transId, ...transaction }),
    alongside: [listInsert(transactionList, programId, transId, transaction)],
  };
}

/** Marks it as reversed, once. The condition is named `original`. */
export function reversedUpdate(
  { programId, cardId, transId }: Pick<Transaction, "programId" | "cardId" | "transId">,
  by: string,
): WriteAction {
  const isUnreversed = all<Transaction>(exists, { reversedBy: undefined });
  return {
    ...transactions.at(programId, cardId, transId).update({ set: { reversedBy: by } }, isUnreversed),
    name: "original",
  };
}

export { numericCurrency };

/**
 * What the merchant billed: the amount itself if nothing was converted, or in what is no currency.
 * An amount in another currency may be unknown.
 */
export function sourceAmount(
  { srcAmount, srcCurrency }: Pick<Merchant, "srcAmount" | "srcCurrency">,
  amountMinor: number,
  currency: Currency,
): { srcAmountMinor: number | undefined; srcCurrency: string } {
  const own = numericCurrency[currency];
  return srcCurrency === undefined || srcCurrency === own || !currencyCodes.has(srcCurrency)
    ? { srcAmountMinor: amountMinor, srcCurrency: own }
    : { srcAmountMinor: srcAmount, srcCurrency };
}

// Money outside the card network. Without these records, a card's statement would not add up.

/** The card's side of a transfer from or to a wallet, or of the sweep when it closes. */
export function transferRecord(
  card: RecordedCard,
  { amountMinor, loads, relatedId, at }: { amountMinor: number; loads: boolean; relatedId: string; at: Date },
): Transaction {
  return fundingRecord(card, at, {
    transType: loads ? TransactionType.card_load : TransactionType.card_unload,
    type: loads ? "CR" : "DR",
    amountMinor,
    description: loads ? "Card load" : "Card unload",
    relatedId,
  });
}

export function debtRecord(card: RecordedCard, amountMinor: number, at: Date): Transaction {
  return fundingRecord(card, at, {
    transType: TransactionType.clear_negative_balance,
    type: "CR",
    amountMinor,
    description: "Negative balance cleared",
    relatedId: card.cardId,
  });
}

type FundingFields = Pick<Transaction, "transType" | "type" | "amountMinor" | "description"> &
  Partial<Transaction> & { readonly relatedId: string };

/** Cleared, with the reference of its source record, unless the fields differ. */
export function fundingRecord(
  { programId, cardId, cardholderId, currency }: RecordedCard,
  at: Date,
  { transStatus = TransactionStatus.cleared, ...fields }: FundingFields,
): Transaction {
  const createdAt = timestamp(at);
  return {
    programId,
    transId: newId("transaction"),
    cardId,
    cardholderId,
    transStatus,
    currency,
    ...sourceAmount({}, fields.amountMinor, currency),
    referenceCode: fields.relatedId,
    transDate: createdAt,
    ...(transStatus !== TransactionStatus.pending && { postDate: createdAt }),
    createdAt,
    ...fields,
  };
}

/** What the network settles, by files or events. */
const networkTypes: ReadonlySet<TransactionType> = new Set([
  TransactionType.authorization_clearing,
  TransactionType.refund,
  TransactionType.returnreversal,
  TransactionType.pindebit_atm_withdrawal,
  TransactionType.pindebit_authorization_clearing,
  TransactionType.pindebit_reversal,
]);

type Posting = Pick<Transaction, "transType" | "transStatus">;

/** A posting of the network, whether it is settled yet or not. */
export function isSettlement({ transType, transStatus }: Posting): boolean {
  const isPosted = transStatus === TransactionStatus.cleared || transStatus === TransactionStatus.completion;
  return networkTypes.has(transType) && isPosted;
}

export function isUnsettled(posting: Posting): boolean {
  return isSettlement(posting) && posting.transStatus === TransactionStatus.cleared;
}

/** What is posted now, in a Program whose network settles it later or not. */
export function postedStatus(transType: TransactionType, settlesLater = false): TransactionStatus {
  return settlesLater && networkTypes.has(transType)
    ? TransactionStatus.cleared
    : TransactionStatus.completion;
}

/** The network has settled it: one write, in the record and its list. */
export function settledUpdate(transaction: Transaction): WriteAction {
  const { programId, cardId, transId, transStatus: before } = transaction;
  const transStatus = TransactionStatus.completion;
  return {
    ...transactions.at(programId, cardId, transId).update({ set: { transStatus } }, { transStatus: before }),
    alongside: [
      listUpdate(transactionList, programId, transId, transaction, { ...transaction, transStatus }),
    ],
    name: "settled",
  };
}

const Reference = z.object({ cardId: z.string(), transId: z.string() });
export type Reference = Readonly<z.output<typeof Reference>>;

/** The settlement that brought a reference code. The network's codes are unique in a Program. */
export const references = defineEntity({
  name: "reference",
  schema: Reference,
  key: (programId: string, referenceCode: string) => ({
    pk: `${programId}#REFERENCE#${referenceCode}`,
    sk: "REFERENCE",
  }),
});

/**
 * Records the transaction and takes the reference code that came with it, as `reference`. The
 * platform's own code is the `transId`, which no other can be: it needs no item.
 */
export function transactionWrites(transaction: Transaction): WriteAction[] {
  const { programId, cardId, transId, referenceCode } = transaction;
  const put = transactionPut(transaction);
  if (referenceCode === transId) return [put];
  return [put, references.at(programId, referenceCode).create({ cardId, transId })];
}

/** A charged fee, in minor units: posted, never pending. A fee is no transaction. */
const Fee = z.object({
  programId: z.string(),
  feeId: z.string(),
  /** The `feeId`: every fee is listed. */
  entityId: z.string().optional(),
  cardId: z.string(),
  cardholderId: z.string(),
  feeType: integerEnum(FeeType),
  transType: z.literal(TransactionType.fee_charge),
  /** Error: it was not charged. */
  transStatus: z.literal([TransactionStatus.completion, TransactionStatus.error]),
  amountMinor: z.int(),
  currency: integerEnum(Currency),
  /** 0 with a fee of type 3 (ATM and cash advance), else the amount. */
  srcAmountMinor: z.int(),
  srcCurrency: z.string(),
  /** The transaction that it is charged for. */
  relatedTransId: z.string().optional(),
  referenceCode: z.string(),
  description: z.string(),
  transDate: z.string(),
  postDate: z.string(),
  createdAt: z.string(),
  /** The transaction that reversed it. */
  reversedBy: z.string().optional(),
});
export type Fee = Readonly<z.output<typeof Fee>>;

export const fees = defineEntity({
  name: "fee",
  schema: Fee,
  key: (programId: string, cardId: string, feeId: string) => ({
    pk: `${programId}#${cardId}`,
    sk: `FEE#${feeId}`,
  }),
});

const descriptions = {
  [FeeType.issuance]: "Card Issuance Fee",
  [FeeType.maintenance]: "Maintenance Fee",
  [FeeType.atm]: "Cash Advance Fee",
  [FeeType.crossBorder]: "Foreign Exchange Fee",
  [FeeType.service]: "Service Fee",
} as const satisfies Record<FeeType, string>;

export const atmFee = { feeType: FeeType.atm, description: "Foreign Cash Adv Fee" } as const;

export interface Charge {
  readonly identity: RecordedCard;
  readonly at: Date;
  /** When the charged event happened, if that was earlier. */
  readonly occurredAt?: string | undefined;
}

export function newFee(
  { identity, at, occurredAt }: Charge,
  fields: Pick<Fee, "feeType" | "amountMinor"> & Partial<Pick<Fee, "relatedTransId" | "description">>,
): Fee {
  const { programId, cardId, cardholderId, currency } = identity;
  const feeId = newId("fee");
  return {
    programId,
    feeId,
    cardId,
    cardholderId,
    transType: TransactionType.fee_charge,
    transStatus: TransactionStatus.completion,
    currency,
    // The network states no merchant amount for a fee of cash.
    srcAmountMinor: fields.feeType === FeeType.atm ? 0 : fields.amountMinor,
    srcCurrency: numericCurrency[currency],
    referenceCode: feeId,
    description: descriptions[fields.feeType],
    transDate: occurredAt ?? timestamp(at),
    postDate: timestamp(at),
    createdAt: timestamp(at),
    ...fields,
  };
}

export const feeList: ListKind = {
  name: "fees",
  filters: ["feeType", "transStatus"],
  orders: ["amountMinor"],
  carried: ["cardId"],
  shards: 16,
  recordKey: ({ programId }, feeId, { cardId }) => fees.key(programId, String(cardId), feeId),
};

export function feePut(fee: Fee): WriteAction {
  const { programId, cardId, feeId } = fee;
  return {
    ...fees.at(programId, cardId, feeId).create({ entityId: feeId, ...fee }),
    alongside: [listInsert(feeList, programId, feeId, fee)],
  };
}

/** Marks the fee as reversed, which it can be once. The condition is named `original`. */
export function feeReversedUpdate({ programId, cardId, feeId }: Fee, transId: string): WriteAction {
  const isUnreversed = all<Fee>(exists, { reversedBy: undefined });
  return {
    ...fees.at(programId, cardId, feeId).update({ set: { reversedBy: transId } }, isUnreversed),
    name: "original",
  };
}
