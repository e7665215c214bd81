import { Conflict, retryDecision } from "../../platform/table/retry.ts";
import type { AnsweredOutcome } from "../ledger/commit.ts";
import type { EventPlan, Planned, Rejected } from "./plan.ts";
import { type EventOptions, type PlannedEvent, planEvent } from "./plan-event.ts";

export type AnswerOrRejection<A> = { readonly answer: A } | Rejected;

/**
 * The only loop: plans, commits, and plans again from failed conditions, at first without delay.
 * @throws ContendedError
 */
export async function executePlan<A>(
  event: PlannedEvent,
  options: EventOptions,
  attempt: (plan: EventPlan) => Promise<AnsweredOutcome<A>>,
): Promise<AnswerOrRejection<A>> {
  let next = (): Promise<Planned> => planEvent(event, options);
  let failures = 0;
  let end: EventPlan["end"];
  let isCommitted = false;
  const executed = retryDecision<AnswerOrRejection<A>>(async () => {
    const plan = await next();
    end = "rejected" in plan ? undefined : plan.end;
    if ("rejected" in plan) return plan;
    const outcome = await attempt(plan);
    isCommitted = outcome.outcome === "committed";
    if (outcome.outcome !== "failed") return { answer: outcome.answer };
    const { failedConditions } = outcome;
    const waited = failures > 0;
    failures += 1;
    next = async () => (failedConditions.size > 0 ? plan.replan(failedConditions, waited) : plan);
    return new Conflict(...(failedConditions.size > 0 ? failedConditions.keys() : ["account"]));
  });
  return executed.finally(() => end?.(isCommitted));
}
