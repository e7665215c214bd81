import type { z } from "zod";
import { ApiError } from "../api-error.ts";
import { pause } from "../clock.ts";
import type { Balances } from "../contract/balances.ts";
import type { ProcessorEvent } from "../contract/processor.ts";
import type { SandboxDepositResponse } from "../contract/sandbox.ts";
import { randomInteger } from "../id.ts";
import type { IdempotencyKey } from "../idempotency/idempotency-key.ts";
import { readAccount, toBalances } from "../ledger/account.ts";
import { type CommitOutcome, commitEntry } from "../ledger/commit-entry.ts";
import { balanceChanges, zeroBalances } from "../ledger/posting.ts";
import { type StoredItem, TransactionContendedError } from "../table/transact.ts";
import type { DepositPlan } from "./event-plan.ts";
import { eventPut } from "./event-row.ts";
import { planDeposit } from "./plan-deposit.ts";

type DepositEvent = Extract<ProcessorEvent, { kind: `deposit_${string}` }>;
type DepositAnswer = z.output<typeof SandboxDepositResponse>;

const maximumAttempts = 40;
const firstDelayMs = 5;
const maximumDelayMs = 250;

/**
 * Applies a deposit's event for a caller who is answered at once with the balances after it, in minor units. The event's id must be
 * new.
 *
 * @throws ApiError NOT_FOUND, ILLEGAL_TRANSITION, IDEMPOTENCY_MISMATCH
 * @throws TransactionContendedError when, with an idempotency key, the balances kept changing.
 */
export async function applyDeposit(event: DepositEvent, key?: IdempotencyKey): Promise<DepositAnswer> {
  for (let attempt = 1; attempt <= maximumAttempts; attempt += 1) {
    const plan = await planDeposit(event);
    if ("refused" in plan) throw new ApiError(plan.refused);
    const { depositId } = plan.deposit;
    const answer = { depositId, ...balancesAfter(plan) };
    const outcome = await commitPlan(event, plan, key && { key, answer });
    if (outcome.outcome === "committed") return key ? answer : { depositId, ...(await balancesNow(plan)) };
    if (outcome.outcome === "replay") return outcome.answer;
    if (outcome.outcome === "mismatch") throw new ApiError("IDEMPOTENCY_MISMATCH");
    if (!key || !hasMoved(plan, outcome.refusals)) throw new ApiError(plan.refusal(outcome.refusals));
    await pause(randomInteger(0, Math.min(maximumDelayMs, firstDelayMs * 2 ** attempt)));
  }
  throw new TransactionContendedError(["account"]);
}

/**
 * With a key, the answer is kept in the transaction that it is the answer to, and so must be known before: the commit requires that
 * the balances are still as they were seen.
 */
function commitPlan(
  event: DepositEvent,
  { commit, result, seen }: DepositPlan,
  idempotency: { key: IdempotencyKey; answer: DepositAnswer } | undefined,
): Promise<CommitOutcome<DepositAnswer>> {
  const { availableMinor, ledgerMinor } = seen;
  const accounts = commit.accounts.map((change) => ({
    ...change,
    require: { ...change.require, balances: { availableMinor, ledgerMinor } },
  }));
  const writes = [...commit.writes, eventPut(event, result, commit.at)];
  return commitEntry<DepositAnswer>(
    idempotency ? { ...commit, accounts, writes, idempotency } : { ...commit, writes },
  );
}

/** Whether the account's balances are no longer those that the answer was worked out from. */
function hasMoved({ seen }: DepositPlan, refusals: ReadonlyMap<string, StoredItem>): boolean {
  const account = refusals.get("account");
  return (
    account !== undefined &&
    (account.availableMinor !== seen.availableMinor || account.ledgerMinor !== seen.ledgerMinor)
  );
}

function balancesAfter({ commit, deposit, seen }: DepositPlan): Balances {
  const change = balanceChanges(commit.entry?.postings ?? []).get(deposit.account.accountId) ?? zeroBalances;
  return {
    availableBalance: seen.availableMinor + change.availableMinor,
    ledgerBalance: seen.ledgerMinor + change.ledgerMinor,
  };
}

async function balancesNow({ deposit, seen }: DepositPlan): Promise<Balances> {
  return toBalances((await readAccount(deposit.programId, deposit.account)) ?? seen);
}
