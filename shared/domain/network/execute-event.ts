import type { Balances } from "../../contract/balances.ts";
import type { DisputeView } from "../../contract/disputes.ts";
import { type ProcessorEvent, ProcessorResult } from "../../contract/processor.ts";
import { now } from "../../platform/clock.ts";
import { type IdempotencyKey, readStoredAnswer } from "../../platform/idempotency.ts";
import { type FailedConditions, transact } from "../../platform/table/transact.ts";
import { withinReserve } from "../../platform/time-budget.ts";
import type { OpenQuestion } from "../decisions/decision.ts";
import { toBalances } from "../ledger/account.ts";
import { commit } from "../ledger/commit.ts";
import { type AccountBalances, balanceChanges, zeroBalances } from "../ledger/postings.ts";
import { readAccount } from "../ledger/read-account.ts";
import { commitEvent } from "./commit-event.ts";
import { askAndDecide, awaitDecision, readDecided } from "./decide-question.ts";
import { type EventRecord, eventRecords, isAnother, redeliver, rejectionRecord } from "./event-record.ts";
import { type AnswerOrRejection, executePlan } from "./execute-plan.ts";
import { tiedTo } from "./named-message.ts";
import { type AppliedResult, type EventPlan, notFound, type Question } from "./plan.ts";
import type { EventOptions, PlannedEvent } from "./plan-event.ts";
import { waitsForPreceding } from "./preceding-event.ts";
import { asFirst, asRepetition, messageWrites } from "./repeated-message.ts";
import { silentEventWrites } from "./sent-event.ts";
import { feeReversalAfter, isWithoutEffect, resolveReversal } from "./tied-events.ts";
import { noteUnposted } from "./unposted-event.ts";

/**
 * Executes an event once per `eventId`: a repetition gets the first result and redelivers its
 * notifications. NOT_FOUND and REFERENCE_EXISTS are not stored as results: the record may exist
 * later, and a settlement that is not posted stays in its queue.
 * @throws ContendedError
 */
export async function applyEvent(sent: ProcessorEvent, options: EventOptions = {}): Promise<ProcessorResult> {
  const event = await resolveReversal(await asRepetition(sent));
  if ("rejected" in event)
    return { outcome: "refused", code: event === notFound ? "NOT_FOUND" : illegalCode };
  if (isWithoutEffect(event))
    return { outcome: "applied", authorizationId: event.authorizationId, amount: 0 };
  const result = await applyOne(event, options);
  const feeReversal = feeReversalAfter(event, result);
  if (feeReversal) await applyOne(feeReversal, options);
  return result;
}

async function applyOne(event: ProcessorEvent, options: EventOptions): Promise<ProcessorResult> {
  const outcome = await executePlan<ProcessorResult | Pending | Tied>(event, options, async (plan) => {
    // Parsed as the first result of a repetition is, so that both are the same to the byte.
    const answer = plan.question ? { asks: plan.question } : ProcessorResult.parse(plan.result);
    const committed = await commitEvent(event, plan, undefined, answer);
    if (committed.outcome !== "failed") return committed;
    const first = await repeat(event, committed.failedConditions);
    if (first) return { outcome: "repeated", answer: first };
    const tied = tiedTo(event, committed.failedConditions);
    return tied ? { outcome: "repeated", answer: { becomes: tied } } : committed;
  });
  if ("answer" in outcome) {
    const { answer } = outcome;
    return "becomes" in answer ? applyEvent(answer.becomes, options) : settle(answer);
  }
  const code = outcome.rejected;
  const isLast = "lastAttempt" in event && event.lastAttempt === true;
  if (code === "REFERENCE_EXISTS") {
    // Another copy of this event may have taken it, and a conflict may have hidden its record.
    const first = await answerAgain(event, await eventRecords.at(event.programId, event.eventId).get());
    if (first) return settle(first);
    await noteUnposted(event, code);
    return { outcome: "refused", code };
  }
  if (code === "NOT_FOUND" && waitsForPreceding(event, options)) return { outcome: "refused", code };
  await noteUnposted(event, code === "NOT_FOUND" ? code : illegalCode);
  if (code === "NOT_FOUND" && !isLast) return { outcome: "refused", code };
  const rejection: ProcessorResult = {
    outcome: "refused",
    code: isLast && code === "NOT_FOUND" ? code : illegalCode,
  };
  const at = now();
  const recorded = await transact([
    rejectionRecord(event, rejection, at),
    ...messageWrites(event, at),
    ...silentEventWrites(event, at),
  ]);
  const first = !recorded.committed && (await repeat(event, recorded.failedConditions));
  return first ? settle(first) : rejection;
}

/** A reservation instead of a result: this process asks, or waits for the one that does. */
type Pending = { readonly asks: Question } | { readonly waitsFor: OpenQuestion };

/** What it names, or what names it, has come under another id. */
interface Tied {
  readonly becomes: ProcessorEvent;
}

async function settle(answer: ProcessorResult | Pending): Promise<ProcessorResult> {
  if ("asks" in answer) return askAndDecide(answer.asks);
  return "waitsFor" in answer ? awaitDecision(answer.waitsFor) : answer;
}

const illegalCode = "ILLEGAL_TRANSITION";

/** What a repetition is answered: the first result, of which it notifies again. */
async function repeat(
  event: PlannedEvent,
  failed: FailedConditions,
): Promise<ProcessorResult | Pending | undefined> {
  const record = eventRecords.parse(failed.get("processorEvent"));
  const first = record ? undefined : asFirst(event, failed);
  if (!first) return answerAgain(event, record);
  return answerAgain(first, await eventRecords.at(first.programId, first.eventId).get());
}

async function answerAgain(
  event: PlannedEvent,
  first: EventRecord | undefined,
): Promise<ProcessorResult | Pending | undefined> {
  if (first && isAnother(event, first)) return { outcome: "refused", code: illegalCode };
  if (first?.question) return { waitsFor: first.question };
  if (first) await redeliver(event.programId, first);
  return first?.result;
}

/** An event of a caller who waits for the answer. Its `eventId` is new. */
export interface AnsweredEvent<Answer> {
  readonly event: PlannedEvent;
  readonly key: IdempotencyKey | undefined;
  readonly answer: Answer;
}

/**
 * Executes an event and answers its caller. With a key, the answer is committed with the event, and
 * repetitions get it.
 * @throws ApiError IDEMPOTENCY_MISMATCH
 * @throws ContendedError
 */
export async function answerEvent<A extends object>({
  event,
  key,
  answer,
}: AnsweredEvent<(result: AppliedResult, dispute?: DisputeView) => A>): Promise<AnswerOrRejection<A>> {
  let question: Question | undefined;
  const outcome = await executePlan<A | AskedAnswer>(event, {}, async (plan) => {
    const stored = plan.question ? { askedEventId: event.eventId } : answer(plan.result, plan.dispute);
    const committed = await commitEvent(event, plan, key, stored);
    if (committed.outcome === "committed") question = plan.question;
    return committed;
  });
  if (question) return { answer: answer(await askAndDecide(question)) };
  const found = await preferStoredAnswer<A | AskedAnswer>(outcome, event, key);
  if ("rejected" in found) return found;
  return "askedEventId" in found.answer
    ? { answer: answer(await readDecided(event.programId, found.answer.askedEventId)) }
    : { answer: found.answer };
}

/** Stored under a request's key instead of the answer, which the event's record will have. */
interface AskedAnswer {
  readonly askedEventId: string;
}

/**
 * The answer includes the balances after the event. With a key, the commit requires the balances
 * from which the answer was computed.
 * @throws ApiError IDEMPOTENCY_MISMATCH
 * @throws ContendedError
 */
export async function answerBalances<A>({
  event,
  key,
  answer,
}: AnsweredEvent<(result: AppliedResult, balances: Balances) => A>): Promise<AnswerOrRejection<A>> {
  const outcome = await executePlan<A>(event, {}, async (plan) => {
    if (!key) {
      const committed = await commitEvent(event, plan, key, undefined);
      if (committed.outcome === "failed") return committed;
      // A caller who is answered 503 now would repeat what is committed.
      const balances = toBalances((await withinReserve(() => readBalances(plan))) ?? zeroBalances);
      return { outcome: "committed", answer: answer(plan.result, balances) };
    }
    const seen = await readBalances(plan);
    const storedAnswer = answer(plan.result, balancesAfter(plan, seen));
    const committed = await commitEvent(event, requireBalances(plan, seen), key, storedAnswer);
    if (committed.outcome !== "failed" || !isOnlyMoved(committed.failedConditions, seen)) return committed;
    return { outcome: "failed", failedConditions: new Map() };
  });
  return preferStoredAnswer(outcome, event, key);
}

/**
 * Executes a deadline's event. Needs no deduplication record: a second run fails its conditions.
 * @throws ContendedError
 */
export function executeDue(event: PlannedEvent): Promise<AnswerOrRejection<AppliedResult>> {
  return executePlan<AppliedResult>(event, {}, async (plan) => {
    const outcome = await commit(plan.commit);
    return outcome.outcome === "failed" ? outcome : { ...outcome, answer: plan.result };
  });
}

/** A rejected request may repeat one that succeeded: then returns the stored answer. */
async function preferStoredAnswer<A>(
  outcome: AnswerOrRejection<A>,
  { programId }: PlannedEvent,
  key: IdempotencyKey | undefined,
): Promise<AnswerOrRejection<A>> {
  const stored = key && "rejected" in outcome && (await readStoredAnswer<A>(programId, key));
  return stored || outcome;
}

async function readBalances({ commit, account }: EventPlan): Promise<AccountBalances | undefined> {
  return account && (await readAccount(commit.programId, account));
}

/** Zero for an account that does not exist: its deposit is in suspense. */
function balancesAfter({ commit, account }: EventPlan, seen: AccountBalances = zeroBalances): Balances {
  const changes = balanceChanges(commit.entry?.postings ?? []);
  const change = (account && changes.get(account.accountId)) ?? zeroBalances;
  return {
    availableBalance: seen.availableMinor + change.availableMinor,
    ledgerBalance: seen.ledgerMinor + change.ledgerMinor,
  };
}

/** Requires the balances as they were seen, also where the event changes none of them. */
function requireBalances(plan: EventPlan, seen: AccountBalances | undefined): EventPlan {
  const { account, commit } = plan;
  if (!account || !seen) return plan;
  const { availableMinor, ledgerMinor } = seen;
  const [change = { name: "account", account }] = commit.accounts;
  const balances = { availableMinor, ledgerMinor };
  return { ...plan, commit: { ...commit, accounts: [{ ...change, balances }] } };
}

/** Whether nothing failed but the condition on the balances from which the answer was computed. */
function isOnlyMoved(failed: FailedConditions, seen: AccountBalances | undefined): boolean {
  const found = failed.get("account");
  if (failed.size !== 1 || !found || !seen) return false;
  return found.availableMinor !== seen.availableMinor || found.ledgerMinor !== seen.ledgerMinor;
}
