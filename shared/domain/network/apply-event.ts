import type { ProcessorEvent, ProcessorResult } from "../../contract/processor.ts";
import { now } from "../../platform/clock.ts";
import { backOff } from "../../platform/table/back-off.ts";
import { type StoredItem, TransactionContendedError, transact } from "../../platform/table/transact.ts";
import { noteConflicts } from "../../platform/table/write-conflicts.ts";
import { commitEntry } from "../ledger/commit-entry.ts";
import type { RefusalCode } from "./event-plan.ts";
import { eventPut, firstResult, passedOn } from "./event-row.ts";
import { logApplied } from "./log-applied.ts";
import type { DepositOptions } from "./plan-deposit.ts";
import { planEvent } from "./plan-event.ts";

/** Each further plan means that another writer changed something between two of ours. */
export const maximumPlans = 32;

/**
 * Applies one event of the card network's or the compliance provider's side, exactly once for its `eventId`: any repetition gets the
 * first result, and what was sent out of the event is sent again as it is. A refusal by state is a result too, and kept; NOT_FOUND is not, since what the event speaks of may still come.
 *
 * @throws TransactionContendedError
 */
export async function applyEvent(
  event: ProcessorEvent,
  options: DepositOptions = {},
): Promise<ProcessorResult> {
  let plan = await planEvent(event, options);
  for (let planned = 1; planned <= maximumPlans; planned += 1) {
    if ("refused" in plan) return refuse(event, plan.refused);
    const { commit, result, again } = plan;
    const outcome = await commitEntry({
      ...commit,
      writes: [...commit.writes, eventPut(event, result, commit.at, commit.writes)],
    });
    if (outcome.outcome === "committed") {
      logApplied(event, plan);
      return result;
    }
    if (outcome.outcome !== "refused") throw new Error("A commit without a key cannot be a repetition.");
    const first = await repeated(event, outcome.refusals);
    if (first) return first;
    if (planned > 1) await backOff(planned);
    plan = await again(outcome.refusals);
  }
  noteConflicts({ actions: ["account"], conflicts: maximumPlans, givenUp: true });
  throw new TransactionContendedError(["account"]);
}

async function refuse(event: ProcessorEvent, code: RefusalCode): Promise<ProcessorResult> {
  const result: ProcessorResult = { outcome: "refused", code };
  if (code === "NOT_FOUND") return result;
  const kept = await transact([eventPut(event, result, now())]);
  return kept.committed ? result : ((await repeated(event, kept.refusals)) ?? result);
}

/** The first result where the refusals tell that the event is a repetition, once that is passed on. */
async function repeated(
  event: ProcessorEvent,
  refusals: ReadonlyMap<string, StoredItem>,
): Promise<ProcessorResult | undefined> {
  const first = firstResult(refusals);
  const writes = first ? passedOn(event, refusals, now()) : [];
  if (writes.length > 0) await transact(writes);
  return first;
}
