import type { ProcessorEvent, ProcessorResult } from "../../contract/processor.ts";
import { now } from "../../platform/clock.ts";
import { Conflict, retryDecision } from "../../platform/table/retry.ts";
import { type FailedConditions, transact } from "../../platform/table/transact.ts";
import { commit } from "../ledger/commit.ts";
import type { Planned, RefusalCode } from "./event-plan.ts";
import { eventPut, firstResult, passedOn } from "./event-row.ts";
import { logApplied } from "./log-applied.ts";
import type { DepositOptions } from "./plan-deposit.ts";
import { planEvent } from "./plan-event.ts";

/**
 * Applies one event of the card network's or the compliance provider's side, exactly once for its `eventId`: any repetition gets the
 * first result, and what was sent out of the event is sent again as it is. A refusal by state is a result too, and kept; NOT_FOUND is not, since what the event speaks of may still come.
 *
 * @throws ContendedError
 */
export function applyEvent(event: ProcessorEvent, options: DepositOptions = {}): Promise<ProcessorResult> {
  let next = (): Planned | Promise<Planned> => planEvent(event, options);
  return retryDecision(async () => {
    const plan = await next();
    if ("refused" in plan) return refuse(event, plan.refused);
    const { commit: planned, result, again } = plan;
    const outcome = await commit({
      ...planned,
      writes: [...planned.writes, eventPut(event, result, planned.at, planned.writes)],
    });
    if (outcome.outcome === "committed") {
      logApplied(event, plan);
      return result;
    }
    const first = await repeated(event, outcome.failedConditions);
    if (first) return first;
    next = () => again(outcome.failedConditions);
    return new Conflict("account");
  });
}

async function refuse(event: ProcessorEvent, code: RefusalCode): Promise<ProcessorResult> {
  const result: ProcessorResult = { outcome: "refused", code };
  if (code === "NOT_FOUND") return result;
  const kept = await transact([eventPut(event, result, now())]);
  return kept.committed ? result : ((await repeated(event, kept.failedConditions)) ?? result);
}

/** The first result where the failed conditions say that the event is a repetition, once that is passed on. */
async function repeated(
  event: ProcessorEvent,
  failedConditions: FailedConditions,
): Promise<ProcessorResult | undefined> {
  const first = firstResult(failedConditions);
  const writes = first ? passedOn(event, failedConditions, now()) : [];
  if (writes.length > 0) await transact(writes);
  return first;
}
