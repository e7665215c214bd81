import { type Card, type CardOrWallet, hasOwnMoney, hasStatusIn } from "../cards/card.ts";
import { type Redelivery, toRedelivery } from "../changes/change.ts";
import { toDecimal } from "../contract/currencies.ts";
import {
  type Currency,
  DepositStatus,
  EventType,
  numericCurrency,
  TransactionResult,
  TransactionStatus,
  TransactionType,
} from "../contract/enums.ts";
import type { DepositData, DepositOriginal } from "../contract/notifications.ts";
import type { OutboxEvent } from "../contract/outbox.ts";
import type { Account, AccountCondition } from "../ledger/account.ts";
import type { Commit } from "../ledger/commit.ts";
import { journalEntry } from "../ledger/journal-entry.ts";
import {
  type ContraAccount,
  depositCleared,
  depositPending,
  depositReturned,
  type Posting,
  pendingDepositCleared,
  pendingDepositReversed,
  sweptTo,
} from "../ledger/postings.ts";
import { listInsert, listUpdate } from "../lists/entry.ts";
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
import { deadlineDelete, deadlinePut, defineDeadline } from "../platform/deadlines.ts";
import { newId } from "../platform/id.ts";
import { outboxPut } from "../platform/outbox/outbox-put.ts";
import { absent, all, exists, oneOf } from "../platform/table/condition.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { findStep } from "../platform/table/transition.ts";
import { type Transaction, transactionList, transactions } from "../transactions/transaction.ts";
import { fundingRecord, isListed, transactionPut } from "../transactions/transaction-rules.ts";
import {
  acceptingStatuses,
  accountDepositList,
  type Deposit,
  type DepositTrigger,
  depositDescriptions,
  depositList,
  deposits,
  depositTransitions,
  expectedDeletes,
  expectedPuts,
  fundingAccounts,
  leftMinor,
} from "./deposit.ts";

export interface DepositChange {
  readonly commit: Commit;
  /** Its notification, which a repetition of its event sends again. */
  readonly redelivery: Redelivery | undefined;
}

/** The rest follows from the change. A card's deposit has the card's identity. */
export type NewDeposit = Omit<Deposit, "status" | "createdAt" | "transId"> & {
  readonly status: typeof DepositStatus.pending | typeof DepositStatus.cleared;
};

/**
 * Pending, or cleared without having been pending. With the deadline of automatic clearing.
 * Failed conditions: `account` and `deposit`.
 */
export function newDeposit(
  given: NewDeposit,
  at: Date,
  from: ContraAccount = fundingAccounts[given.channel],
): DepositChange {
  const { programId, depositId, account, amountMinor } = given;
  const isPending = given.status === DepositStatus.pending;
  const deposit: Deposit & Pick<NewDeposit, "status"> = {
    ...given,
    createdAt: timestamp(at),
    ...(account.kind === "card" && {
      transId: newId("transaction"),
      [isPending ? "pendingTransIdSc" : "clearedTransIdSc"]: newNotificationId(account.accountId),
    }),
  };
  const postings = (isPending ? depositPending : depositCleared)(account.accountId, from, amountMinor);
  const kind = isPending ? "deposit_pending" : "deposit_cleared";
  const event = depositEvent(deposit, at);
  return {
    commit: {
      programId,
      at,
      entry: journalEntry(kind, depositId, postings, at, given.reference),
      accounts: [{ name: "account", account, require: account.kind === "card" ? takesDeposits : undefined }],
      writes: [
        {
          ...deposits.at(programId, depositId).create(deposit),
          alongside: [
            listInsert(depositList, programId, depositId, deposit),
            listInsert(accountDepositList, programId, depositId, deposit, account.accountId),
          ],
        },
        ...creditPuts(deposit, at),
        ...event.writes,
        ...deadlinePuts(deposit),
        ...expectedPuts(deposit),
      ],
    },
    redelivery: event.redelivery,
  };
}

export const clearing = defineDeadline("clear_deposit", "urgent");
export const expiry = defineDeadline("expire_deposit", "normal");

function deadlinePuts({ programId, depositId, status, clearsAt, expiresAt }: Deposit): WriteAction[] {
  const dueAt = clearsAt ?? expiresAt;
  if (status !== DepositStatus.pending || dueAt === undefined) return [];
  const kind = clearsAt === undefined ? expiry : clearing;
  return [deadlinePut(kind.at({ ownerId: programId, deadlineId: depositId, dueAt: new Date(dueAt) }))];
}

const takesDeposits = all<Card>(hasStatusIn(acceptingStatuses), hasOwnMoney);

/** Where a deposit for a Card goes: to the Wallet that the Card spends from, if there is one. */
export function depositedOn(
  account: Account,
  stored: Pick<CardOrWallet, "fundingWalletId"> | undefined,
): Pick<NewDeposit, "account" | "cardId"> {
  const { fundingWalletId: accountId } = stored ?? {};
  if (account.kind !== "card" || accountId === undefined) return { account };
  return { account: { kind: "wallet", accountId }, cardId: account.accountId };
}

const entryKinds = {
  clear: "deposit_cleared",
  reverse: "deposit_reversed",
  return: "deposit_returned",
} as const;

/** What the bank says of it, if that decides. */
export interface Reported {
  /** The part that is returned, or what a report says has come of what was announced. */
  readonly amountMinor?: number | undefined;
  /** A bank's report is about it. */
  readonly isReport?: boolean;
  /** Its Card, once it is known to spend from a Wallet. */
  readonly card?: Pick<Card, "fundingWalletId"> | undefined;
}

/**
 * Each change is legal from one status, so of deadline and event one wins. A return is posted
 * whatever the balance, of all that is left of it without an amount. A Card that spends from a
 * Wallet keeps nothing of it. Failed conditions: `deposit`, and `account` or `card`.
 */
export function settleDeposit(
  deposit: Deposit,
  trigger: DepositTrigger,
  at: Date,
  { amountMinor = leftMinor(deposit), isReport = false, card }: Reported = {},
): DepositChange & { readonly changed: Partial<Deposit> } {
  const { programId, depositId, account, returnedMinor } = deposit;
  const { from, to: status } = findStep(depositTransitions, trigger);
  const isNotified = trigger === "clear" && account.kind === "card";
  const isPart = trigger === "return" && amountMinor < leftMinor(deposit);
  const moved = { ...deposit, amountMinor };
  const isOther = trigger === "clear" && amountMinor !== deposit.amountMinor;
  const changed = {
    status,
    [trigger === "return" ? "returnedAt" : "settledAt"]: timestamp(at),
    ...(isNotified && { clearedTransIdSc: newNotificationId(account.accountId) }),
    ...(isReport && { isReported: true }),
    ...(isOther && { amountMinor, announcedMinor: deposit.amountMinor }),
  };
  const set = isPart ? { returnedMinor: (returnedMinor ?? 0) + amountMinor } : changed;
  const event = depositEvent({ ...moved, ...changed }, at);
  const postings = settlementPostings(deposit, trigger, amountMinor);
  return {
    commit: {
      programId,
      at,
      ...settledOn(deposit, trigger, postings, card?.fundingWalletId, at),
      writes: [
        {
          ...deposits.at(programId, depositId).update({ set }, { status: oneOf(from), returnedMinor }),
          // Each trigger has one status that it starts from, which the condition requires.
          alongside: isPart
            ? []
            : from.flatMap((before) => listUpdates({ ...deposit, status: before }, { ...moved, status })),
        },
        ...(trigger === "return" ? returnPuts(moved, at) : creditUpdates(deposit, trigger, at, amountMinor)),
        ...event.writes,
        ...(trigger === "return" ? [] : pendingDeletes(deposit, trigger === "reverse")),
      ],
    },
    redelivery: event.redelivery,
    changed: set,
  };
}

/** On its account, or by it on the Wallet that its Card spends from now. */
function settledOn(
  { depositId, account }: Deposit,
  trigger: DepositTrigger,
  postings: readonly Posting[],
  walletId: string | undefined,
  at: Date,
): Pick<Commit, "entry" | "accounts"> {
  const kind = entryKinds[trigger];
  if (account.kind === "wallet" || trigger === "reverse")
    return {
      entry: journalEntry(kind, depositId, postings, at),
      accounts: [{ name: "account", account }],
    };
  const { accountId: cardId } = account;
  const swept = sweptTo(walletId, cardId, postings);
  const require = (walletId === undefined ? hasOwnMoney : { fundingWalletId: walletId }) as AccountCondition;
  return {
    entry: {
      ...journalEntry(kind, depositId, swept, at),
      ...(walletId !== undefined && { cardId }),
    },
    accounts: [
      { name: "card", account, require },
      ...(walletId === undefined
        ? []
        : [{ name: walletId, account: { kind: "wallet", accountId: walletId } as const }]),
    ],
  };
}

/** What waits for a pending deposit's end. */
function pendingDeletes(deposit: Deposit, isOver: boolean): WriteAction[] {
  const { programId, depositId, clearsAt, expiresAt } = deposit;
  const hasDeadline = (clearsAt ?? expiresAt) !== undefined;
  return [
    ...(hasDeadline ? [deadlineDelete(programId, depositId)] : []),
    ...expectedDeletes(deposit, isOver),
  ];
}

/** The bank reports what a simulated one has cleared already: no money moves. */
export function noteReport(deposit: Deposit, at: Date): Commit {
  const { programId, depositId, status } = deposit;
  return {
    programId,
    at,
    accounts: [],
    writes: [
      deposits.at(programId, depositId).update({ set: { isReported: true } }, { status, isReported: absent }),
    ],
  };
}

function settlementPostings(
  { account: { accountId }, amountMinor: announced, channel }: Deposit,
  trigger: DepositTrigger,
  amountMinor: number,
) {
  const funding = fundingAccounts[channel];
  if (trigger === "return") return depositReturned(accountId, funding, amountMinor);
  const reversed = pendingDepositReversed(accountId, funding, announced);
  if (trigger === "reverse") return reversed;
  if (amountMinor === announced) return pendingDepositCleared(accountId, amountMinor);
  return [...reversed, ...depositCleared(accountId, funding, amountMinor)];
}

function listUpdates(before: Deposit, after: Deposit): WriteAction[] {
  const { programId, depositId, account } = before;
  return [
    listUpdate(depositList, programId, depositId, before, after),
    listUpdate(accountDepositList, programId, depositId, before, after, account.accountId),
  ];
}

const outboxKinds = {
  [DepositStatus.pending]: "deposit.pending",
  [DepositStatus.cleared]: "deposit.cleared",
  [DepositStatus.reversed]: "deposit.reversed",
  [DepositStatus.returned]: "deposit.returned",
} as const satisfies Record<DepositStatus, OutboxEvent["kind"]>;

/** The outbox event of the deposit's current status, with its notification. */
function depositEvent(deposit: Deposit, at: Date) {
  const { programId, depositId, account, amountMinor, currency, channel, chain, asset, txHash } = deposit;
  const { cardholderId, transId } = deposit;
  const kind = outboxKinds[deposit.status];
  const notification = renderDepositNotification(deposit, at);
  const notificationIds = notification && [notification.transIdSc];
  const detail = {
    depositId,
    transId,
    cardholderId,
    ...(account.kind === "card" ? { cardId: account.accountId } : { walletId: account.accountId }),
    ...(deposit.cardId !== undefined && { cardId: deposit.cardId }),
    amountMinor,
    currency,
    channel,
    chain,
    asset,
    txHash,
    ...(notificationIds && { notificationIds }),
  };
  return {
    writes: [
      ...(notification ? [notificationPut(notification)] : []),
      outboxPut(programId, kind, detail, at),
    ],
    redelivery: toRedelivery(kind, notificationIds),
  };
}

/** The credit on a card's statement. A return leaves it: the debit is another record. */
const credits = {
  [DepositStatus.pending]: {
    transType: TransactionType.gpa_credit_pending,
    transStatus: TransactionStatus.pending,
  },
  [DepositStatus.cleared]: {
    transType: TransactionType.gpa_credit,
    transStatus: TransactionStatus.cleared,
  },
  [DepositStatus.reversed]: {
    transType: TransactionType.gpa_credit_pending_reversal,
    transStatus: TransactionStatus.completion,
  },
} as const;

function creditPuts(deposit: Deposit & Pick<NewDeposit, "status">, at: Date): WriteAction[] {
  const { status, transId, channel } = deposit;
  if (transId === undefined) return [];
  return recordPuts(deposit, at, {
    transId,
    ...credits[status],
    type: "CR",
    description: depositDescriptions[channel],
  });
}

function returnPuts(deposit: Deposit, at: Date): WriteAction[] {
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
  const record = fundingRecord(card, at, { amountMinor, relatedId: depositId, referenceCode, ...fields });
  return [transactionPut(record)];
}

/** Settles the credit on the card's statement. A reversed one leaves the lists. */
function creditUpdates(
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
  return [
    {
      ...transactions.at(programId, cardId, transId).update(change, exists),
      alongside: [
        listUpdate(
          transactionList,
          programId,
          transId,
          pending,
          isKept ? { ...pending, ...settled } : undefined,
        ),
      ],
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

export interface DepositFacts {
  readonly transIdSc: string;
  /** The TransId_SC of the deposit's notification before, if there was one. */
  readonly original?: string | undefined;
  readonly card: Omit<NotifiedCard, "maskedCardNumber">;
  readonly status: keyof typeof kinds;
  readonly depositId: string;
  readonly amountMinor: number;
  readonly channel: "bank" | "crypto";
  readonly chain?: string | undefined;
  readonly asset?: string | undefined;
  readonly txHash?: string | undefined;
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
  const original: DepositOriginal = {
    cdcEvent,
    payload: { ...texts, amount: decimalNumber(amountMinor) },
  };
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

interface NotifiedDeposit
  extends Pick<DepositFacts, "depositId" | "amountMinor" | "channel" | "chain" | "asset" | "txHash"> {
  readonly programId: string;
  readonly account: { readonly kind: string; readonly accountId: string };
  readonly status: DepositStatus;
  readonly currency: Currency;
  /** Cards only. */
  readonly cardholderId?: string | undefined;
  readonly cardToken?: string | undefined;
  /** Its notifications so far. */
  readonly pendingTransIdSc?: string | undefined;
  readonly clearedTransIdSc?: string | undefined;
}

/** Undefined for a deposit to a wallet, and for a reversed one: neither is notified. */
function renderDepositNotification(deposit: NotifiedDeposit, at: Date): Notification | undefined {
  const { programId, account, cardholderId, cardToken, currency, status } = deposit;
  if (account.kind !== "card" || cardholderId === undefined || cardToken === undefined) return undefined;
  if (status === DepositStatus.reversed) return undefined;
  const { pendingTransIdSc, clearedTransIdSc } = deposit;
  const [own, original] = {
    [DepositStatus.pending]: [pendingTransIdSc, undefined],
    [DepositStatus.cleared]: [clearedTransIdSc, pendingTransIdSc],
    [DepositStatus.returned]: [undefined, clearedTransIdSc],
  }[status];
  const card = { programId, cardId: account.accountId, cardToken, cardholderId, currency };
  const transIdSc = own ?? newNotificationId(card.cardId);
  return renderDeposit({ ...deposit, transIdSc, original, card, status, at: timestamp(at) });
}
