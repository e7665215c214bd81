import * as z from "zod";
import { type AskReceiver, LateAnswer, OpenQuestion } from "../authorizations/decisions/decision.ts";
import type { Hold } from "../authorizations/holds/hold.ts";
import { emptyHold } from "../authorizations/holds/hold-rules.ts";
import type { Card, CardIdentity } from "../cards/card.ts";
import { appliedEvents, appliedFields, beginRecord } from "../changes/applied-event.ts";
import {
  type Rejected as ChangeRejected,
  type Decided,
  type Redelivery,
  toRedelivery,
} from "../changes/change.ts";
import type { ProgramSettings } from "../contract/account-programs.ts";
import type { Merchant } from "../contract/card-network.ts";
import type { DisputeView } from "../contract/disputes.ts";
import { TransactionStatus } from "../contract/enums.ts";
import type { OutboxEvent } from "../contract/outbox.ts";
import type { ProcessorResult, RejectionCode } from "../contract/processor.ts";
import type { AuthorizationDeclineReason } from "../contract/transactions.ts";
import type { AccountBalances, AccountCondition } from "../ledger/account.ts";
import { type EntryKind, journalEntry } from "../ledger/journal-entry.ts";
import type { Posting } from "../ledger/postings.ts";
import { timestamp } from "../platform/clock.ts";
import { newId } from "../platform/id.ts";
import type { Labelling } from "../platform/labels.ts";
import { outboxPut } from "../platform/outbox/outbox-put.ts";
import { defined } from "../platform/pick.ts";
import { type Condition, present } from "../platform/table/condition.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { Decision } from "../questions/question.ts";
import { type Fee, feePut } from "../transactions/fee.ts";
import type { Transaction } from "../transactions/transaction.ts";
import {
  postedStatus,
  type RecordedCard,
  references,
  sourceAmount,
  transactionPut,
} from "../transactions/transaction-rules.ts";
import { type CardEvent, type PlannedEvent, toSentEvent } from "./card-event.ts";
import { type Funding, fundedBy, type PayFunded, payOwn } from "./funding.ts";
import type { SpendControls } from "./spend-controls.ts";

export type AppliedResult = Extract<ProcessorResult, { outcome: "applied" }>;

/** What an event of a Card comes to. */
export interface CardOutcome {
  readonly result: AppliedResult;
  /** The commit only reserves: the result follows with the decision. */
  readonly question?: Question | undefined;
  /** The commit decides an open question. */
  readonly decision?: Decision | undefined;
  /** The dispute of the event, as it is afterwards. */
  readonly dispute?: Labelling<DisputeView> | undefined;
}

/** What is asked once its reservation is committed. */
export interface Question {
  readonly open: OpenQuestion;
  /** Asks by `ask`, at most once. Never rejects. */
  readonly ask: (ask: AskReceiver) => ReturnType<AskReceiver>;
}

/** The Program's server, which is asked before the network is answered. */
export interface AsksAuthorization {
  /** Reserves what is about to be approved: the question is part of the plan. */
  reserve(
    subject: CardSubject<OpenQuestion["event"]> & OfAccount & OfControls,
    before: Hold,
    amountMinor: number,
    require: AccountCondition | undefined,
  ): CardPlan;
}

/** Finds who is asked about authorizations. */
export interface Askers {
  /** Whether there was one when it was last read: a hint of what to read next. */
  mayBeAsked(programId: string): Promise<boolean>;
  /** Undefined if nobody is asked. No round trip in most calls. */
  find(programId: string): Promise<AsksAuthorization | undefined>;
}

/** Only requests are rejected so. */
type RequestRejection =
  | "NOTHING_HELD"
  | "MORE_THAN_HELD"
  | "AMOUNT_EXCEEDED"
  | "EVIDENCE_REQUIRED"
  | "EXTERNAL_ID_EXISTS"
  /** They are planned again. */
  | "LABELS_CHANGED";

/** NOT_FOUND: the record does not exist yet. */
export type Refusal = RejectionCode | RequestRejection;
export type Rejected = ChangeRejected<Refusal>;

export const notFound: Rejected = { rejected: "NOT_FOUND" };
export const illegal: Rejected = { rejected: "ILLEGAL_TRANSITION" };

/** An event of a Card. What else its plan follows from is said by the plan. */
export interface CardSubject<E extends CardEvent = CardEvent> {
  readonly event: E;
  readonly card: CardIdentity;
  /** When the event arrived, and when it is planned. */
  readonly receivedAt: Date;
  readonly at: Date;
  /** Absent: the Card's own account pays. */
  readonly funding?: Funding | undefined;
  /** What is posted now is settled by a later file of the network. */
  readonly settlesLater?: boolean | undefined;
}

/** The hold of the event's authorization; absent until one of its events has arrived. */
export interface OfHold {
  readonly hold?: Hold | undefined;
}

/** Status and balances; absent if the event is tried without a read. */
export interface OfAccount {
  readonly account?: Card | undefined;
}

/** What is known of what the event is made with: of a plastic, a token. Its parts say it. */
export interface OfPresented {
  readonly presented?: {
    /** Why it is declined, before what the Card itself is declined for. */
    readonly refused?: Refused | undefined;
    /** Why it is declined where the Card itself is not. */
    readonly refusedLast?: Refused | undefined;
    /** What must still be true of the Card. */
    readonly requires?: Condition<Card> | undefined;
  };
}

interface Refused {
  readonly reason: AuthorizationDeclineReason;
  readonly stoppedFor?: "lost" | "stolen" | undefined;
  readonly require?: Condition<Card>;
}

/** What is in force for the card. */
export interface OfControls {
  readonly controls?: SpendControls | undefined;
}

/** Who is asked about the event before it is approved. */
export interface OfEndpoint {
  readonly endpoint?: AsksAuthorization | undefined;
}

/** What the event may change of a hold's postings, oldest first. */
export interface OfPostings {
  readonly postings?: readonly Transaction[] | undefined;
}

/** Read only if they matter. */
export interface OfSettings {
  readonly settings?: Pick<ProgramSettings, "partialApproval" | "feeSchedule"> | undefined;
}

/** The settings of the Program, in a plan for which they are read. */
export function requiredSettings({
  settings,
  event,
}: CardSubject & OfSettings): NonNullable<typeof settings> {
  if (!settings) throw new Error(`The ${event.kind} is planned without the settings of its Program.`);
  return settings;
}

/** Answered and notified in the same commit. */
export interface DisputeNotice {
  readonly view: Labelling<DisputeView>;
  readonly writes: readonly WriteAction[];
  readonly redelivery: Redelivery | readonly Redelivery[];
}

export interface CardPlan {
  /** Recorded in the same commit, as is the fee. */
  readonly transaction?: Transaction;
  /** What it moves of disputes: recorded and notified like the transaction. */
  readonly credits?: readonly Transaction[];
  readonly fee?: Fee | undefined;
  readonly entryKind: EntryKind;
  readonly postings: readonly Posting[];
  /** The record that the journal entry belongs to. */
  readonly relatedId: string;
  readonly require?: AccountCondition | undefined;
  /** Balances that must still be as they were read. */
  readonly balances?: Partial<AccountBalances>;
  readonly writes?: readonly WriteAction[];
  /** What is in force after it, where anything is. */
  readonly controls?: SpendControls | undefined;
  /** Absent from a reservation, of which nothing is published. */
  readonly outboxKind?: OutboxEvent["kind"];
  /** What receivers are told of each record. */
  readonly notify?: (card: CardIdentity, recorded: Recorded) => Notified | undefined;
  /** Further detail of the outbox item. */
  readonly detail?: Readonly<Record<string, unknown>> & { readonly placedMinor?: number };
  readonly question?: Question;
  readonly decision?: Decision;
  /** The dispute as the event leaves it, with its notification. */
  readonly dispute?: DisputeNotice;
  /** What the answer has beside the ids of transaction and fee. */
  readonly result: Omit<AppliedResult, "outcome">;
  /** A control declines by a part of what was counted: the whole may say otherwise. */
  readonly isUncertain?: boolean;
}

/** The hold as it is stored, or an empty one. */
export function holdBefore(subject: CardSubject & OfHold, authorizationId: string): Hold {
  const { card, hold, at } = subject;
  return hold ?? { ...emptyHold(card, authorizationId, timestamp(at)), ...fundedBy(subject) };
}

/** One commit: balances, postings, records, notifications and outbox items. */
export function toDecided(
  subject: CardSubject & OfAccount & OfHold,
  planned: CardPlan,
  payFunded: PayFunded,
): Decided<CardOutcome> {
  const { card, at, account: seen, funding } = subject;
  const plan = withFunding(planned, subject);
  const { transaction, credits = [], fee, dispute } = plan;
  const paying = funding ? payFunded({ card, funding }, plan) : payOwn(card, plan);
  const { postings, accounts, told, owner } = paying;
  const recorded = [
    { transaction, fee, ...plan.detail },
    ...credits.map((one) => ({ transaction: one })),
  ].map((detail) => recordWrites(card, plan, detail, at));
  const withBalance = recorded.flatMap(({ writesWithBalance }) => writesWithBalance ?? []);
  const redelivery = [recorded.flatMap((one) => one.redelivery ?? []), dispute?.redelivery ?? []].flat();
  return {
    ...(postings.length > 0 && {
      entry: {
        ...journalEntry(plan.entryKind, plan.relatedId, postings, at),
        ...(funding && { cardId: card.cardId }),
      },
    }),
    accounts,
    writes: [...(plan.writes ?? []), ...recorded.flatMap(({ writes }) => writes), ...(dispute?.writes ?? [])],
    ...(withBalance.length > 0 && {
      balanceAfter: {
        ...told,
        writes: (ledgerMinor: number) => withBalance.flatMap((writes) => writes(ledgerMinor)),
        seenMinor: (told.shared ? funding?.wallet : seen)?.ledgerMinor,
      },
    }),
    answer: {
      result: toResult(plan),
      question: plan.question,
      decision: plan.decision,
      dispute: dispute?.view,
    },
    redelivery: redelivery.length > 1 || dispute ? redelivery : redelivery[0],
    balancesOf: owner,
  };
}

/** Its records name the Wallet that pays. */
function withFunding(plan: CardPlan, subject: CardSubject): CardPlan {
  const mark = fundedBy(subject);
  if (mark.fundingWalletId === undefined) return plan;
  const { transaction, credits, fee } = plan;
  return {
    ...plan,
    ...(transaction && { transaction: { ...transaction, ...mark } }),
    ...(credits && { credits: credits.map((credit) => ({ ...credit, ...mark })) }),
    ...(fee && { fee: { ...fee, ...mark } }),
  };
}

function toResult({ transaction, fee, result }: CardPlan): AppliedResult {
  return {
    outcome: "applied",
    ...defined({ transId: transaction?.transId, feeId: fee?.feeId }),
    ...result,
  };
}

type RecordFields = Pick<Transaction, "transType" | "type" | "amountMinor" | "description"> &
  Partial<Transaction> & { readonly merchant?: Merchant };

/** Posted unless the fields differ. Pending and declined transactions have no `postDate`. */
export function newTransaction(
  { event, card, at, settlesLater }: CardSubject,
  { merchant = {}, ...fields }: RecordFields,
): Transaction {
  const { programId, cardId, cardholderId, currency } = card;
  const { srcAmount, srcCurrency, ...named } = merchant;
  const transId = fields.transId ?? newId("transaction");
  const { transStatus = postedStatus(fields.transType, settlesLater) } = fields;
  const isPosted = transStatus === TransactionStatus.completion || transStatus === TransactionStatus.cleared;
  return {
    programId,
    cardId,
    cardholderId,
    currency,
    ...named,
    ...sourceAmount({ srcAmount, srcCurrency }, fields.amountMinor, currency),
    transDate: event.occurredAt ?? timestamp(at),
    ...(isPosted && { postDate: timestamp(at) }),
    createdAt: timestamp(at),
    event: toSentEvent(event),
    ...fields,
    transStatus,
    transId,
    referenceCode: fields.referenceCode ?? transId,
  };
}

export function toMerchant(event: Merchant): Merchant {
  const { merchantName, mcc, merchantId, merchantCity, merchantCountry, srcAmount, srcCurrency } = event;
  const all = { merchantName, mcc, merchantId, merchantCity, merchantCountry, srcAmount, srcCurrency };
  return defined(all);
}

/** The event's merchant, completed from the authorization, except for the billed amount. */
export function completedMerchant(event: Merchant, authorized: Merchant = {}): Merchant {
  const { srcAmount: _, srcCurrency: __, ...known } = authorized;
  return { ...known, ...toMerchant(event) };
}

/** What one event records: a transaction, with its fee. */
interface Recorded {
  readonly transaction?: Transaction | undefined;
  readonly fee?: Fee | undefined;
  readonly placedMinor?: number | undefined;
}

interface Notified {
  readonly outboxDetail: { readonly notificationIds: readonly string[] };
  readonly writes?: readonly WriteAction[];
  /** They need the ledger balance after the entry. */
  readonly writesWithBalance?: (ledgerMinor: number) => readonly WriteAction[];
}

/** The records' writes, with their notifications and the outbox item. */
function recordWrites(
  card: CardIdentity,
  { outboxKind, notify }: CardPlan,
  detail: Recorded & Readonly<Record<string, unknown>>,
  at: Date,
) {
  const { programId } = card;
  const { transaction, fee } = detail;
  const notified = notify?.(card, detail);
  const records = { transaction: withoutCard(transaction), fee: withoutCard(fee), ...notified?.outboxDetail };
  const all: WriteAction[] = [
    ...(transaction ? transactionWrites(transaction) : []),
    ...(fee ? [feePut(fee)] : []),
    ...(notified?.writes ?? []),
    ...(outboxKind ? [outboxPut(programId, outboxKind, { card, ...detail, ...records }, at)] : []),
  ];
  return {
    writes: all,
    writesWithBalance: notified?.writesWithBalance,
    redelivery: outboxKind && toRedelivery(outboxKind, notified?.outboxDetail.notificationIds),
  };
}

/** The event names the card once: an outbox item above 1 KB would cost two more write units. */
function withoutCard(record: RecordedCard | undefined): object | undefined {
  return record && Object.fromEntries(Object.entries(record).filter(([name]) => !untold.has(name)));
}

const untold: ReadonlySet<string> = new Set<keyof Transaction>([
  ...(["programId", "cardId", "cardholderId", "currency", "counted", "event", "interchangeMinor"] as const),
  ...(["gaveBack", "refusal", "added", "earlierEvents", "plasticId", "tokenId"] as const),
  ...(["authenticationId", "verification", "fundingWalletId"] as const),
]);

/** With its question, if a receiver is asked: while that is open, there is no result. */
const EventRecord = z.object({
  ...appliedFields,
  question: OpenQuestion.optional(),
  decision: Decision.optional(),
  lateAnswer: LateAnswer.optional(),
});
export type EventRecord = Readonly<z.output<typeof EventRecord>>;

/** An event's deduplication record: its result, and the notifications to redeliver. */
export const eventRecords = defineEntity({
  name: "processorEvent",
  schema: EventRecord,
  key: appliedEvents.key,
});

/** The record that makes the event's change happen once. */
export function eventRecord(
  event: PlannedEvent,
  { answer, redelivery: notifications }: Decided<CardOutcome>,
  at: Date,
): WriteAction {
  const { result, question, decision } = answer;
  const record = eventRecords.at(event.programId, event.eventId);
  const common = { ...beginRecord(event, at), ...("decides" in event && { kind: event.decides }) };
  if (question) return record.create({ ...common, question: question.open });
  if (!decision) return record.create({ ...common, result, notifications });
  const decided = { ...common, result, notifications, decision };
  // Named apart: the relay reads only new items, so this overwrite cannot carry the event.
  return { ...record.put(decided, { question: present }), name: "decision" };
}

/**
 * Records the transaction and takes the reference code that came with it, as `reference`. The
 * platform's own code is the `transId`, which no other can be: it needs no item.
 */
function transactionWrites(transaction: Transaction): WriteAction[] {
  const { programId, cardId, transId, referenceCode } = transaction;
  const put = transactionPut(transaction);
  if (referenceCode === transId) return [put];
  return [put, references.at(programId, referenceCode).create({ cardId, transId })];
}
