import type { ProgramSettings } from "../../contract/account-programs.ts";
import type { AuthorizationQuestion } from "../../contract/authorization-endpoint.ts";
import type { Merchant } from "../../contract/card-network.ts";
import type { DisputeView } from "../../contract/disputes.ts";
import { TransactionStatus } from "../../contract/enums.ts";
import type { OutboxEvent } from "../../contract/outbox.ts";
import type { ProcessorResult, RejectionCode } from "../../contract/processor.ts";
import { timestamp } from "../../platform/clock.ts";
import { newId } from "../../platform/id.ts";
import type { FailedConditions, WriteAction } from "../../platform/table/transact.ts";
import type { Card, CardIdentity } from "../cards/card.ts";
import type { Redelivery } from "../changes/redelivery.ts";
import type { AuthorizationEndpoint } from "../controls/rulebooks.ts";
import type { ControlsInForce } from "../controls/usage.ts";
import type { Decision, OpenQuestion } from "../decisions/decision.ts";
import type { Dispute } from "../disputes/dispute.ts";
import { emptyHold, type Hold } from "../holds/hold.ts";
import type { Account, AccountCondition } from "../ledger/account.ts";
import type { Commit } from "../ledger/commit.ts";
import { type EntryKind, journalEntry } from "../ledger/journal-entry.ts";
import type { AccountBalances, Posting } from "../ledger/postings.ts";
import type { Fee } from "../transactions/fee.ts";
import { postedStatus } from "../transactions/network-settlement.ts";
import { sourceAmount, type Transaction } from "../transactions/transaction.ts";
import type { CardEvent } from "./card-event.ts";
import { type NotifiedDispute, notifyOfDispute } from "./dispute-notice.ts";
import { recordWrites } from "./records.ts";
import { toSentEvent } from "./sent-event.ts";

export type AppliedResult = Extract<ProcessorResult, { outcome: "applied" }>;

/** A planner's answer: everything that one event changes, in one commit. */
export interface EventPlan {
  readonly commit: Commit;
  readonly result: AppliedResult;
  /** The notifications in the commit: a repetition of the event redelivers them. */
  readonly redelivery?: Redelivery | Redelivery[] | undefined;
  /** The dispute of the event, as it is afterwards. */
  readonly dispute?: DisputeView | undefined;
  /** The card or wallet of the event, whose balances its sender may be answered. */
  readonly account?: Account;
  readonly isSuspension?: boolean;
  /** The commit only reserves: the result follows with the decision. */
  readonly question?: Question | undefined;
  /** The commit decides an open question. */
  readonly decision?: Decision | undefined;
  /** Plans again after failed conditions. Their items may be out of date if the executor waited. */
  readonly replan: (failed: FailedConditions, waited: boolean) => Promise<Planned>;
  /** Called once, when it is committed or given up. */
  readonly end?: (isCommitted: boolean) => void;
}

/** What is asked once its reservation is committed. */
export interface Question {
  readonly open: OpenQuestion;
  readonly asks: AuthorizationQuestion;
  readonly endpoint: AuthorizationEndpoint;
  readonly deadlineAt: Date;
}

/** A plan that is made again from new reads, unless the failed conditions reject the event. */
export interface PlanFromReads extends Omit<EventPlan, "replan"> {
  readonly reject?: (failed: FailedConditions) => Rejected | undefined;
  /** Called before it is made again. */
  readonly prepare?: (failed: FailedConditions) => Promise<void>;
}

/** Of requests only. */
type RequestRejection = "NOTHING_HELD" | "MORE_THAN_HELD" | "AMOUNT_EXCEEDED" | "EVIDENCE_REQUIRED";

/** The event cannot be applied to the state that was read. */
export interface Rejected {
  /** NOT_FOUND: the record does not exist yet. */
  readonly rejected: RejectionCode | RequestRejection;
}

export type Planned = EventPlan | Rejected;

export const notFound: Rejected = { rejected: "NOT_FOUND" };
export const illegal: Rejected = { rejected: "ILLEGAL_TRANSITION" };

/** An event with all that it is planned from. */
export interface CardSubject<E extends CardEvent = CardEvent> {
  readonly event: E;
  readonly card: CardIdentity;
  /** When the event arrived, and when it is planned. */
  readonly receivedAt: Date;
  readonly at: Date;
  /** Status and balances; absent if the event is tried without a read. */
  readonly account?: Card | undefined;
  /** The hold of the event's authorization; absent until one of its events has arrived. */
  readonly hold?: Hold | undefined;
  /** That of an increment itself, if its reversal came first. */
  readonly ownHold?: Hold | undefined;
  /** What the event names, if it exists: a dispute with its transaction. */
  readonly transaction?: Transaction | undefined;
  readonly fee?: Fee | undefined;
  readonly dispute?: Dispute | undefined;
  /** What the event may change of a hold's postings, oldest first; read only if it matters. */
  readonly postings?: readonly Transaction[] | undefined;
  /** The postings of a refund that is reversed have to be read. */
  readonly readsClaims?: boolean | undefined;
  /** What can be claimed of the postings that their hold names no more, if that is too little. */
  readonly olderMinor?: number | undefined;
  /** What is in force for the card. */
  readonly controls?: ControlsInForce | undefined;
  /** Who is asked about the event before it is approved. */
  readonly endpoint?: AuthorizationEndpoint | undefined;
  /** What a decision decides, while it is open. */
  readonly question?: OpenQuestion | undefined;
  /** Read only if they matter. */
  readonly settings?: Pick<ProgramSettings, "partialApproval" | "feeSchedule"> | undefined;
  /** When a submitted dispute is credited; read only for its submission. */
  readonly creditRules?: Pick<ProgramSettings, "provisionalCreditAtOnce" | "timeZone"> | undefined;
  /** What is posted now is settled by a later file of the network. */
  readonly settlesLater?: boolean;
  /** Another transaction settled with its reference code. */
  readonly isReferenceTaken?: boolean;
}

/** The settings of the Program, in a plan for which they are read. */
export function requiredSettings({ settings, event }: CardSubject): NonNullable<typeof settings> {
  if (!settings) throw new Error(`The ${event.kind} is planned without the settings of its Program.`);
  return settings;
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
  /** Absent from a reservation, of which nothing is published. */
  readonly outboxKind?: OutboxEvent["kind"];
  /** Further detail of the outbox item. */
  readonly detail?: Readonly<Record<string, unknown>> & { readonly placedMinor?: number };
  readonly question?: Question;
  readonly decision?: Decision;
  /** Notified in the same commit. `original`: the dispute's notification before. */
  readonly dispute?: NotifiedDispute;
  /** Beside the ids of transaction and fee. */
  readonly result: Omit<AppliedResult, "outcome">;
}

export function cardAccount({ cardId }: Pick<CardIdentity, "cardId">): Account {
  return { kind: "card", accountId: cardId };
}

/** The hold as it is stored, or an empty one. */
export function holdBefore({ card, hold, at }: CardSubject, authorizationId: string): Hold {
  return hold ?? emptyHold(card, authorizationId, timestamp(at));
}

/** One commit: balances, postings, records, notifications and outbox items. */
export function toCommit(
  { card, at, account: seen }: CardSubject,
  plan: CardPlan,
): Pick<EventPlan, "commit" | "redelivery" | "dispute"> {
  const { transaction, credits = [], fee, postings, require, balances, outboxKind, dispute } = plan;
  const { programId } = card;
  const recorded = [
    { transaction, fee, ...plan.detail },
    ...credits.map((one) => ({ transaction: one })),
  ].map((detail) => recordWrites(card, outboxKind, detail, at));
  const withBalance = recorded.flatMap(({ writesWithBalance }) => writesWithBalance ?? []);
  const disputed = dispute && notifyOfDispute(card, dispute, transaction?.transType, at);
  const changesAccount = postings.length > 0 || require || balances;
  const commit: Commit = {
    programId,
    at,
    ...(postings.length > 0 && { entry: journalEntry(plan.entryKind, plan.relatedId, postings, at) }),
    accounts: changesAccount ? [{ name: "account", account: cardAccount(card), require, balances }] : [],
    writes: [
      ...(plan.writes ?? []),
      ...recorded.flatMap(({ writes }) => writes),
      ...(disputed?.writes ?? []),
    ],
    ...(withBalance.length > 0 && {
      balanceAfter: {
        name: "account",
        writes: (ledgerMinor) => withBalance.flatMap((writes) => writes(ledgerMinor)),
        seenMinor: seen?.ledgerMinor,
      },
    }),
  };
  const redelivery = recorded.flatMap((one) => one.redelivery ?? []);
  if (disputed)
    return { commit, redelivery: [...redelivery, disputed.redelivery].flat(), dispute: disputed.view };
  return { commit, redelivery: redelivery.length > 1 ? redelivery : redelivery[0] };
}

export function toResult({ transaction, fee, result }: CardPlan): AppliedResult {
  return {
    outcome: "applied",
    ...(transaction && { transId: transaction.transId }),
    ...(fee && { feeId: fee.feeId }),
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
  return { merchantName, mcc, merchantId, merchantCity, merchantCountry, srcAmount, srcCurrency };
}
