import type { Balances } from "../../contract/balances.ts";
import type { ProcessorEvent } from "../../contract/processor.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { IdempotencyKey } from "../../platform/idempotency/idempotency-key.ts";
import { readReplay } from "../../platform/idempotency/idempotency-row.ts";
import { Conflict, retryDecision } from "../../platform/table/retry.ts";
import type { FailedConditions } from "../../platform/table/transact.ts";
import { type Account, readAccount, type StoredAccount, toBalances } from "../ledger/account.ts";
import { type AnsweredOutcome, commitIdempotent } from "../ledger/commit.ts";
import { type AccountBalances, balanceChanges, zeroBalances } from "../ledger/posting.ts";
import type { AppliedResult, EventPlan, Planned } from "./event-plan.ts";
import { eventPut } from "./event-row.ts";
import { logApplied } from "./log-applied.ts";

/** A new event of a caller who is answered at once. */
export interface AnsweredEvent<A> {
  readonly event: Pick<ProcessorEvent, "programId" | "eventId" | "kind">;
  /** May throw ApiError for what the caller alone may not ask for. */
  readonly plan: () => Promise<Planned>;
  readonly key: IdempotencyKey | undefined;
  readonly answer: (result: AppliedResult) => A;
}

/** One who is answered with the balances after the event, in minor units. */
export interface BalancesEvent<A> extends Omit<AnsweredEvent<A>, "answer"> {
  readonly account: Account;
  readonly answer: (result: AppliedResult, balances: Balances) => A;
}

/**
 * Applies an event and answers what became of it. The event's id must be new.
 *
 * @throws ApiError NOT_FOUND, ILLEGAL_TRANSITION, IDEMPOTENCY_MISMATCH, and what `plan` throws
 * @throws ContendedError
 */
export function answerEvent<A>({ event, plan, key, answer }: AnsweredEvent<A>): Promise<A> {
  return attempts<A>({ event, plan, key }, async (planned) => {
    const outcome = await commitPlan(event, planned, key, answer(planned.result));
    if (outcome.outcome !== "failed") return { answer: outcome.answer };
    return { again: () => planned.again(outcome.failedConditions) };
  });
}

/**
 * Applies an event and answers the balances after it. With a key, the answer is kept in the transaction that it is the answer to, and so must
 * be known before: the commit requires that the balances are still as they were seen.
 *
 * @throws ApiError NOT_FOUND, ILLEGAL_TRANSITION, IDEMPOTENCY_MISMATCH, and what `plan` throws
 * @throws ContendedError when, with an idempotency key, the balances kept changing.
 */
export async function answerBalances<A>(input: BalancesEvent<A>): Promise<A> {
  const { event, plan, account, key, answer } = input;
  if (!key) {
    const result = await answerEvent({ event, plan, key, answer: (applied) => applied });
    return answer(result, toBalances(await balancesOf(event.programId, account)));
  }
  return attempts<A>({ event, plan, key }, async (planned) => {
    const seen = await balancesOf(event.programId, account);
    const kept = answer(planned.result, balancesAfter(planned, account, seen));
    const outcome = await commitPlan(event, requiring(planned, account, seen), key, kept);
    if (outcome.outcome !== "failed") return { answer: outcome.answer };
    if (onlyMoved(outcome.failedConditions, seen)) return { again: () => planned };
    return { again: () => planned.again(outcome.failedConditions) };
  });
}

type Next<A> = { readonly answer: A } | { readonly again: () => Planned | Promise<Planned> };

/**
 * Tries plan after plan until one is answered or there is none, and waits before it looks again where others are at the same. A repetition is told from a request that the state refuses only by its key:
 * it is the first one that has changed the state.
 */
async function attempts<A>(
  { event, plan: firstPlan, key }: Pick<AnsweredEvent<A>, "event" | "plan" | "key">,
  attempt: (planned: EventPlan) => Promise<Next<A>>,
): Promise<A> {
  try {
    let plan: () => Planned | Promise<Planned> = firstPlan;
    return await retryDecision(async () => {
      const planned = await plan();
      if ("refused" in planned) throw new ApiError(planned.refused);
      const next = await attempt(planned);
      if ("answer" in next) return next.answer;
      plan = next.again;
      return new Conflict("account");
    });
  } catch (error) {
    const replay = key && error instanceof ApiError && (await readReplay<A>(event.programId, key));
    if (!replay) throw error;
    return replay.answer;
  }
}

async function commitPlan<A>(
  event: AnsweredEvent<A>["event"],
  plan: EventPlan,
  key: IdempotencyKey | undefined,
  answer: A,
): Promise<AnsweredOutcome<A>> {
  const { commit, result } = plan;
  const writes = [...commit.writes, eventPut(event, result, commit.at, commit.writes)];
  const outcome = await commitIdempotent({ ...commit, writes }, key, answer);
  if (outcome.outcome === "committed") logApplied(event, plan);
  return outcome;
}

/** The plan on the condition that the balances are as they were seen, also where the event moves none of them. */
function requiring(plan: EventPlan, account: Account, seen: AccountBalances): EventPlan {
  const { availableMinor, ledgerMinor } = seen;
  const balances = { availableMinor, ledgerMinor };
  const [change = { name: "account", account }] = plan.commit.accounts;
  const required = { ...change, require: { ...change.require, balances } };
  return { ...plan, commit: { ...plan.commit, accounts: [required] } };
}

/** Whether nothing but a change of the balances, from which the answer was worked out, stood in the way. */
function onlyMoved(failedConditions: FailedConditions, seen: AccountBalances): boolean {
  const account = failedConditions.get("account");
  return (
    failedConditions.size === 1 &&
    account !== undefined &&
    (account.availableMinor !== seen.availableMinor || account.ledgerMinor !== seen.ledgerMinor)
  );
}

function balancesAfter({ commit }: EventPlan, { accountId }: Account, seen: AccountBalances): Balances {
  const change = balanceChanges(commit.entry?.postings ?? []).get(accountId) ?? zeroBalances;
  return {
    availableBalance: seen.availableMinor + change.availableMinor,
    ledgerBalance: seen.ledgerMinor + change.ledgerMinor,
  };
}

async function balancesOf(programId: string, account: Account): Promise<StoredAccount> {
  const stored = await readAccount(programId, account);
  if (!stored) throw new ApiError("NOT_FOUND");
  return stored;
}
