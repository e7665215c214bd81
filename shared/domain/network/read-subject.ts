import type { ProgramSettings } from "../../contract/account-programs.ts";
import { now } from "../../platform/clock.ts";
import { readBatch } from "../../platform/table/batch.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { FailedConditions, StoredItem } from "../../platform/table/transact.ts";
import { readProgram } from "../../tenancy/programs/program.ts";
import { cacheCard, cards, findCachedCard } from "../cards/card.ts";
import { isOnlyUsage, readMoreUsage, refreshControls } from "../controls/more-usage.ts";
import { mayHaveControls, readControls, recallControls } from "../controls/read-controls.ts";
import { mayHaveEndpoint, readEndpoint } from "../decisions/endpoint.ts";
import { type Dispute, disputes } from "../disputes/dispute.ts";
import { isFull } from "../holds/claims.ts";
import { holds } from "../holds/hold.ts";
import { fees } from "../transactions/fee.ts";
import { type Transaction, transactions } from "../transactions/transaction.ts";
import { hasBalances } from "./answered-balances.ts";
import type { CardEvent } from "./card-event.ts";
import { eventRecords } from "./event-record.ts";
import { renamed, similarOf } from "./message-names.ts";
import type { CardSubject } from "./plan.ts";
import { mayBePartial } from "./plan-authorization.ts";
import { refundedIds } from "./plan-refund.ts";
import { isConverted } from "./plan-settlement.ts";
import { controlledKinds } from "./sent-event.ts";
import { settlesLater } from "./settles-later.ts";
import { findSimilar } from "./similar-event.ts";

/** One round of reads, for cards that this worker has met. */
export async function readSubject(
  event: CardEvent,
  { mayRecall = true, isOfFile = false } = {},
): Promise<CardSubject | undefined> {
  const { programId, cardId } = event;
  const receivedAt = now();
  const isCounted = controlledKinds.has(event.kind) || event.kind === "authorization_decision";
  const recalled = mayRecall && event.kind === "authorization" ? await recallControls(programId) : undefined;
  const isControlled = isCounted && !recalled ? mayHaveControls(programId) : Promise.resolve(false);
  const isAsked = mayBeAsked(event);
  const readingCard = readCard(event, hasBalances(event) || needsAccount(event, isControlled, isAsked));
  const identity = findCachedCard(programId, cardId) ?? readingCard.then((read) => read?.card);
  const readingControls = isControlled.then((may) => (may ? readControls(programId, identity) : recalled));
  const [disputeId, namedId] = [disputeIdOf(event), transIdOf(event)];
  const readingSettings = mayNeedSettings(event) ? readSettings(programId) : undefined;
  const [read, hold, ownHold, dispute, fee, named, settings, controls, record, endpoint, isLater] =
    await Promise.all([
      readingCard,
      !isFirstOfHold(event) && "authorizationId" in event && event.authorizationId !== undefined
        ? holds.at(programId, event.authorizationId).get()
        : undefined,
      event.kind === "authorization_incremental" && event.incrementId !== undefined
        ? holds.at(programId, event.incrementId).get()
        : undefined,
      disputeId === undefined ? undefined : disputes.at(programId, disputeId).get(),
      event.kind === "fee_reversal" ? fees.at(programId, cardId, event.feeId).get() : undefined,
      namedId === undefined ? undefined : transactions.at(programId, cardId, namedId).get(),
      readingSettings,
      readingControls,
      event.kind === "authorization_decision" ? eventRecords.at(programId, event.eventId).get() : undefined,
      // The controls' read has renewed what is kept of the Program.
      isAsked ? readingControls.then(() => readEndpoint(programId)) : undefined,
      isOfFile ? false : settlesLater(event, readingSettings),
    ]);
  const similarTo = hold ? undefined : similarOf(event);
  const mayBeSimilar = similarTo?.differsIn === "reference" && event.kind !== "authorization_reversal";
  const similar = mayBeSimilar && (await findSimilar(event, similarTo));
  if (similar) {
    controls?.release?.();
    return readSubject(renamed(event, similarTo.id, similar.authorizationId), { mayRecall, isOfFile });
  }
  const creditRules = isSubmission(event) ? (await readProgram(programId))?.settings : undefined;
  const transaction = dispute ? await readDisputed(dispute) : named;
  const records = { hold, ownHold, transaction, fee, dispute, creditRules, question: record?.question };
  if (!read) controls?.release?.();
  const others = { settings, controls, endpoint, settlesLater: isLater };
  return read && { event, receivedAt, at: now(), ...read, ...records, ...others };
}

function disputeIdOf(event: CardEvent): string | undefined {
  if ("disputeId" in event) return event.disputeId;
  return event.kind === "chargeback" || event.kind === "chargeback_outcome" ? event.chargebackId : undefined;
}

function isSubmission(event: CardEvent): boolean {
  return event.kind === "dispute_step" && event.step === "submit";
}

/** The transaction that an event is about: to be reversed, disputed, or refunded. */
function transIdOf(event: CardEvent): string | undefined {
  return event.kind === "refund" ? event.originalTransId : "transId" in event ? event.transId : undefined;
}

function readDisputed({ programId, cardId, transId }: Dispute): Promise<Transaction | undefined> {
  return transactions.at(programId, cardId, transId).get();
}

/** The postings that the event may change beside its own. */
export async function withPostings(subject: CardSubject): Promise<CardSubject> {
  const { card, postings } = subject;
  const ids = postings ? undefined : postingIds(subject);
  if (!ids) return subject;
  if (ids.length === 0) return { ...subject, postings: [] };
  const found = await readBatch(ids.map((id) => issuingKey.transaction(card.programId, card.cardId, id)));
  const read = found.map((item) => transactions.parse(item));
  return { ...subject, postings: read.toSorted((one, other) => (one.transId < other.transId ? -1 : 1)) };
}

/** With the hold as it is now, if it changed before its postings were read. */
export async function renewedHold(subject: CardSubject): Promise<CardSubject | undefined> {
  const { hold, postings = [] } = subject;
  if (!hold || postings.length === 0) return undefined;
  const now = await holds.at(hold.programId, hold.authorizationId).get();
  return now && now.version !== hold.version ? { ...subject, hold: now, postings: undefined } : undefined;
}

function postingIds({ event, hold, transaction, readsClaims }: CardSubject): readonly string[] | undefined {
  if (event.kind === "refund_reversal")
    return readsClaims && transaction ? refundedIds(transaction) : undefined;
  if (!hold) return undefined;
  const { withdrawal, disputable = [] } = hold;
  if (withdrawal) return withdrawal.disputable;
  if (event.kind === "authorization_reversal" && event.ofPosted) return disputable;
  // The hold will not name its oldest one any more.
  return event.kind === "clearing" && isFull(disputable) ? disputable.slice(0, 1) : undefined;
}

/** It is tried as if no other event had come before it: a failed condition returns the hold. */
function isFirstOfHold(event: CardEvent): boolean {
  if (event.kind === "atm_withdrawal") return similarOf(event)?.differsIn !== "reference";
  return event.kind === "authorization";
}

/** Whether a posting, controls or the question need it. What was known last begins the read. */
async function needsAccount(event: CardEvent, isControlled: Promise<boolean>, isAsked: boolean) {
  if (event.kind === "authorization_decision" && event.decides === "atm_withdrawal") return true;
  const { programId } = event;
  if (isAsked && (await mayHaveEndpoint(programId))) return true;
  return (await isControlled) || (isAsked && (await readEndpoint(programId)) !== undefined);
}

/** Whether a receiver is asked about it. Advices and settlements are not questions. */
function mayBeAsked(event: CardEvent): boolean {
  if (event.kind === "atm_withdrawal") return !event.advice;
  return event.kind === "authorization" || event.kind === "authorization_incremental";
}

/**
 * Without controls and questions, an authorization of a card that this worker has met is tried
 * without its account: failed conditions return it.
 */
async function readCard(
  { programId, cardId, kind }: CardEvent,
  isNeeded: boolean | Promise<boolean>,
): Promise<Pick<CardSubject, "card" | "account"> | undefined> {
  const known = findCachedCard(programId, cardId);
  if (known && kind.startsWith("authorization") && !(await isNeeded)) return { card: known };
  const account = await cards.at(programId, cardId).get();
  return account && { account, card: known ?? cacheCard(programId, account) };
}

/** Whether planning may need the Program's settings, judged by the cached card. */
function mayNeedSettings(event: CardEvent): boolean {
  if (event.kind === "atm_withdrawal") return event.feeAmount === undefined;
  if (event.kind !== "clearing" || event.srcCurrency === undefined) return false;
  const card = findCachedCard(event.programId, event.cardId);
  return !card || isConverted({ event, card });
}

export async function withSettings(subject: CardSubject): Promise<CardSubject> {
  const { event, settings } = subject;
  const needed =
    (event.kind === "authorization" && mayBePartial({ ...subject, event })) ||
    (event.kind === "clearing" && isConverted({ ...subject, event }));
  return needed && !settings ? { ...subject, settings: await readSettings(event.programId) } : subject;
}

async function readSettings(programId: string): Promise<ProgramSettings | undefined> {
  return (await readProgram(programId))?.settings;
}

/** For a decision for which less was read than it depends on. */
export async function readMore(subject: CardSubject): Promise<CardSubject | undefined> {
  const { event, card, controls } = subject;
  if (!controls) throw new Error("A decision without controls depends on none.");
  if (!controls.isRemembered) {
    const more = await readMoreUsage(card, controls, amountIn(event));
    // The time after the reading: what has ended by then does not count.
    return { ...subject, at: now(), controls: more };
  }
  controls.release?.();
  return readSubject(event, { mayRecall: false });
}

function amountIn(event: CardEvent): number {
  return "amount" in event ? (event.amount ?? 0) : 0;
}

/** Takes over the items that failed conditions returned; after a wait, reads them anew. */
export async function refreshed(
  subject: CardSubject,
  failed: FailedConditions,
  waited: boolean,
): Promise<CardSubject> {
  const { programId, cardId } = subject.card;
  const found = <T>(name: string, parse: (stored: StoredItem) => T | undefined, before: T | undefined) =>
    failed.has(name) ? parse(failed.get(name)) : before;
  const account = found("account", (stored) => cards.parse(stored), subject.account);
  const hold = found("hold", (stored) => holds.parse(stored), subject.hold);
  if (failed.has("account") && !account) throw new Error(`The card ${cardId} has vanished.`);
  const isOld = waited && !isOnlyUsage(failed);
  const [accountNow, holdNow, controlsNow] = await Promise.all([
    isOld && account ? cards.at(programId, cardId).get() : account,
    isOld && hold ? holds.at(programId, hold.authorizationId).get() : hold,
    subject.controls &&
      refreshControls(subject.card, subject.controls, {
        failed,
        waited,
        amountMinor: amountIn(subject.event),
      }),
  ]);
  return {
    ...subject,
    at: now(),
    account: accountNow,
    hold: holdNow,
    ownHold: found("ownHold", (stored) => holds.parse(stored), subject.ownHold),
    controls: controlsNow,
    // The condition `original` is on the transaction or fee that the event reverses or disputes.
    transaction:
      subject.transaction && found("original", (stored) => transactions.parse(stored), subject.transaction),
    fee: subject.fee && found("original", (stored) => fees.parse(stored), subject.fee),
    question: found("decision", (stored) => eventRecords.parse(stored)?.question, subject.question),
    dispute: found("dispute", (stored) => disputes.parse(stored), subject.dispute),
    // Read anew: the hold may have other postings, or they may be disputed.
    postings: undefined,
    readsClaims: subject.readsClaims || failed.has("claimed"),
    olderMinor: failed.has("older")
      ? (holds.parse(failed.get("older"))?.olderMinor ?? 0)
      : subject.olderMinor,
  };
}
