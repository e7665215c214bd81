import type { Balances } from "../../contract/balances.ts";
import { type ProcessorEvent, ProcessorResult } from "../../contract/processor.ts";
import { now } from "../../platform/clock.ts";
import { type IdempotencyKey, readStoredAnswer } from "../../platform/idempotency.ts";
import { log } from "../../platform/log.ts";
import { logMeasured } from "../../platform/metrics.ts";
import { type FailedConditions, transact } from "../../platform/table/transact.ts";
import { withinReserve } from "../../platform/time-budget.ts";
import { toBalances } from "../ledger/account.ts";
import { type AnsweredOutcome, commit, commitIdempotent } from "../ledger/commit.ts";
import { type AccountBalances, balanceChanges, zeroBalances } from "../ledger/postings.ts";
import { readAccount } from "../ledger/read-account.ts";
import { eventRecord, repeatResult } from "./event-record.ts";
import { type AnswerOrRejection, executePlan } from "./execute-plan.ts";
import type { AppliedResult, EventPlan } from "./plan.ts";
import type { DepositOptions } from "./plan-deposit.ts";
import type { PlannedEvent } from "./plan-event.ts";
import { refusedEventWrites } from "./sent-event.ts";

/**
 * Executes an event once per `eventId`: a repetition gets the first result and redelivers its
 * notifications. NOT_FOUND is not stored as a result: the record may exist later.
 * @throws ContendedError
 */
export async function applyEvent(
  event: ProcessorEvent,
  options: DepositOptions = {},
): Promise<ProcessorResult> {
  const outcome = await executePlan<ProcessorResult>(event, options, async (plan) => {
    // Parsed as the first result of a repetition is, so that both are the same to the byte.
    const committed = await commitEvent(event, plan, undefined, ProcessorResult.parse(plan.result));
    if (committed.outcome !== "failed") return committed;
    const first = await repeatResult(event, committed.failedConditions);
    return first ? { outcome: "repeated", answer: first } : committed;
  });
  if ("answer" in outcome) return outcome.answer;
  if (outcome.rejected === "NOT_FOUND") return { outcome: "refused", code: "NOT_FOUND" };
  const rejection: ProcessorResult = { outcome: "refused", code: "ILLEGAL_TRANSITION" };
  const at = now();
  const recorded = await transact([eventRecord(event, rejection, at), ...refusedEventWrites(event, at)]);
  return recorded.committed
    ? rejection
    : ((await repeatResult(event, recorded.failedConditions)) ?? rejection);
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
export async function answerEvent<A>({
  event,
  key,
  answer,
}: AnsweredEvent<(result: AppliedResult) => A>): Promise<AnswerOrRejection<A>> {
  const outcome = await executePlan<A>(event, {}, (plan) => commitEvent(event, plan, key, answer(plan.result)));
  return preferStoredAnswer(outcome, event, key);
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

/** Commits the plan with the event's record, and logs it once: a repetition commits nothing. */
async function commitEvent<A>(
  event: PlannedEvent,
  plan: EventPlan,
  key: IdempotencyKey | undefined,
  answer: A,
): Promise<AnsweredOutcome<A>> {
  const { commit, result, redelivery } = plan;
  const record = eventRecord(event, result, commit.at, redelivery);
  const outcome = await commitIdempotent({ ...commit, writes: [...commit.writes, record] }, key, answer);
  if (outcome.outcome === "committed") logApplied(event, plan);
  return outcome;
}

function logApplied({ programId, kind }: PlannedEvent, { result, isSuspension }: EventPlan): void {
  const message = "The event is applied.";
  const { approved, declineReason: reason, depositId, suspenseId } = result;
  if (approved !== undefined) {
    logMeasured(message, { programId, kind, reason }, () => ({
      Authorizations: 1,
      AuthorizationsApproved: approved ? 1 : 0,
      ...(!approved && { AuthorizationsDeclined: 1 }),
    }));
  } else if (isSuspension) {
    logMeasured(message, { programId, kind, depositId, suspenseId }, () => ({ DepositsSuspended: 1 }));
  } else log.info(message, { programId, kind });
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
