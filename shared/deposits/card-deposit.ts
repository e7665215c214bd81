import { type Card, type CardOrWallet, hasOwnMoney, hasStatusIn } from "../cards/card.ts";
import { toDecimal } from "../contract/currencies.ts";
import {
  CardStatus,
  DepositStatus,
  EventType,
  inUse,
  numericCurrency,
  type SuspenseReason,
  TransactionResult,
  TransactionStatus,
  TransactionType,
} from "../contract/enums.ts";
import type { DepositData, DepositOriginal } from "../contract/notifications.ts";
import { listUpdate } from "../lists/entry.ts";
import {
  decimalNumber,
  type Notification,
  type NotifiedCard,
  newNotificationId,
  notificationPut,
  renderEnvelope,
  toNotification,
  traceNumber,
} from "../notifications/notification.ts";
import { timestamp } from "../platform/clock.ts";
import { newId } from "../platform/id.ts";
import { all, exists } from "../platform/table/condition.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { cardRecord } from "../transactions/card-record.ts";
import { type Transaction, transactionList, transactions } from "../transactions/transaction.ts";
import { isListed, transactionPut } from "../transactions/transaction-rules.ts";
import type { Deposit, NewDeposit, RecordedDeposit } from "./deposit.ts";
import { depositDescriptions } from "./deposit-view.ts";

/** Why the Card takes no deposit; undefined if it does. */
export function findRefusal({ issuerCardStatus: status }: CardOrWallet): SuspenseReason | undefined {
  if (status === undefined || inUse.includes(status)) return undefined;
  return status === CardStatus.closed ? "CARD_CLOSED" : "CARD_NOT_APPROVED";
}

/** A Card that spends from a Wallet keeps no money. */
export const takesDeposits = all<Card>(hasStatusIn(inUse), hasOwnMoney);

type CardIds = Pick<Deposit, "transId" | "pendingTransIdSc" | "clearedTransIdSc">;

/** The ids of its record on the statement, and of its notification. */
export function newCardIds({ account, status }: NewDeposit): CardIds {
  const isPending = status === DepositStatus.pending;
  return {
    transId: newId("transaction"),
    [isPending ? "pendingTransIdSc" : "clearedTransIdSc"]: newNotificationId(account.accountId),
  };
}

/** The credit on a card's statement. A return leaves it: the debit is another record. */
const credits = {
  [DepositStatus.pending]: {
    transType: TransactionType.gpa_credit_pending,
    transStatus: TransactionStatus.pending,
  },
  [DepositStatus.cleared]: { transType: TransactionType.gpa_credit, transStatus: TransactionStatus.cleared },
  [DepositStatus.reversed]: {
    transType: TransactionType.gpa_credit_pending_reversal,
    transStatus: TransactionStatus.completion,
  },
} as const;

export function creditPuts(deposit: RecordedDeposit, at: Date): WriteAction[] {
  const { status, transId, channel } = deposit;
  if (transId === undefined) return [];
  const description = depositDescriptions[channel];
  return recordPuts(deposit, at, { transId, ...credits[status], type: "CR", description });
}

export function returnPuts(deposit: Deposit, at: Date): WriteAction[] {
  return recordPuts(deposit, at, {
    transType: TransactionType.gpa_credit_reversal,
    type: "DR",
    description: `${depositDescriptions[deposit.channel]} returned`,
  });
}

/** A deposit's record on a card's statement; none for a wallet. */
function recordPuts(
  { programId, depositId, account, cardholderId, amountMinor, currency, reference }: Deposit,
  at: Date,
  fields: Pick<Transaction, "transType" | "type" | "description"> & Partial<Transaction>,
): WriteAction[] {
  if (account.kind !== "card" || cardholderId === undefined) return [];
  const card = { programId, cardId: account.accountId, cardholderId, currency };
  const referenceCode = reference ?? depositId;
  const record = cardRecord(card, at, { amountMinor, relatedId: depositId, referenceCode, ...fields });
  return [transactionPut(record)];
}

/** Settles the credit on the card's statement. A reversed one leaves the lists. */
export function creditUpdates(
  deposit: Deposit,
  trigger: "clear" | "reverse",
  at: Date,
  clearedMinor: number,
): WriteAction[] {
  const { programId, account, transId, createdAt, amountMinor } = deposit;
  if (account.kind !== "card" || transId === undefined) return [];
  const { accountId: cardId } = account;
  const status = trigger === "clear" ? DepositStatus.cleared : DepositStatus.reversed;
  const settled = { ...credits[status], ...(clearedMinor !== amountMinor && { amountMinor: clearedMinor }) };
  const isKept = isListed(settled);
  const change = {
    set: { ...settled, postDate: timestamp(at) },
    remove: isKept ? [] : (["entityId"] as const),
  };
  // The same transaction requires that the deposit is pending.
  const known = { type: "CR", transDate: createdAt, amountMinor, cardId, createdAt };
  const pending = { ...credits[DepositStatus.pending], ...known };
  const after = isKept ? { ...pending, ...settled } : undefined;
  return [
    {
      ...transactions.at(programId, cardId, transId).update(change, exists),
      alongside: [listUpdate(transactionList, programId, transId, pending, after)],
    },
  ];
}

const kinds = {
  [DepositStatus.pending]: {
    cdcEvent: "DEPOSIT_PENDING",
    eventType: EventType.depositPending,
    TransType: TransactionType.gpa_credit_pending,
    TransResult: TransactionResult.depositPending,
  },
  [DepositStatus.cleared]: {
    cdcEvent: "DEPOSIT_CLEARED",
    eventType: EventType.depositCleared,
    TransType: TransactionType.gpa_credit,
    TransResult: TransactionResult.depositCleared,
  },
  [DepositStatus.returned]: {
    cdcEvent: "DEPOSIT_RETURNED",
    eventType: EventType.depositReturned,
    TransType: TransactionType.gpa_credit_reversal,
    TransResult: TransactionResult.depositReturned,
  },
} as const;

export interface DepositFacts
  extends Pick<Deposit, "depositId" | "amountMinor" | "channel" | "chain" | "asset" | "txHash"> {
  readonly transIdSc: string;
  /** The TransId_SC of the deposit's notification before, if there was one. */
  readonly original?: string | undefined;
  readonly card: Omit<NotifiedCard, "maskedCardNumber">;
  readonly status: keyof typeof kinds;
  /** When it reached the status, ISO 8601. */
  readonly at: string;
}

/** A DEPOSIT: the amount in the card's currency. */
export function renderDeposit(facts: DepositFacts): Notification {
  const { transIdSc, card, status, depositId, amountMinor, channel } = facts;
  const { cdcEvent, eventType, TransType, TransResult } = kinds[status];
  const texts = {
    MsgType: "DEPOSIT",
    depositId,
    channel,
    chain: facts.chain ?? null,
    asset: facts.asset ?? null,
    txHash: facts.txHash ?? null,
    currencyCode: numericCurrency[card.currency],
  } as const;
  const original: DepositOriginal = { cdcEvent, payload: { ...texts, amount: decimalNumber(amountMinor) } };
  const data: DepositData = {
    ...texts,
    amount: toDecimal(amountMinor),
    OriginalDataFromSp: JSON.stringify(original),
  };
  const envelope = renderEnvelope(transIdSc, card, {
    original: facts.original,
    TransId_Issuer: String(traceNumber("settlement")),
    TransType,
    TransResult,
    TransAmount: amountMinor,
    TransMerchantName: "",
    TransDate: facts.at,
    data,
  });
  return toNotification(card.programId, eventType, envelope);
}

/** With its id, the notification of the current status. A reversed deposit has none. */
export function tellOfDeposit(
  deposit: Deposit,
  at: Date,
): { readonly notificationId: string; readonly write: WriteAction } | undefined {
  const { programId, account, cardholderId, cardToken, currency, status } = deposit;
  if (cardholderId === undefined || cardToken === undefined || status === DepositStatus.reversed)
    return undefined;
  const { pendingTransIdSc, clearedTransIdSc } = deposit;
  const [own, original] = {
    [DepositStatus.pending]: [pendingTransIdSc, undefined],
    [DepositStatus.cleared]: [clearedTransIdSc, pendingTransIdSc],
    [DepositStatus.returned]: [undefined, clearedTransIdSc],
  }[status];
  const card = { programId, cardId: account.accountId, cardToken, cardholderId, currency };
  const transIdSc = own ?? newNotificationId(card.cardId);
  const facts = { ...deposit, transIdSc, original, card, status, at: timestamp(at) };
  return { notificationId: transIdSc, write: notificationPut(renderDeposit(facts)) };
}
