import type { ProcessorEvent } from "../../contract/processor.ts";
import { log } from "../../platform/log.ts";
import { logMeasured } from "../../platform/metrics.ts";
import type { EventPlan } from "./event-plan.ts";

/** Tells of an event that has just been applied, and measures what it decided. A repetition applies nothing, and is not told: each event counts once. */
export function logApplied(
  { programId, kind }: Pick<ProcessorEvent, "programId" | "kind">,
  { commit, result }: EventPlan,
): void {
  const message = "The event is applied.";
  const { approved, declineReason: reason, depositId, suspenseId } = result;
  if (approved !== undefined) {
    logMeasured(message, { programId, kind, reason }, () => ({
      Authorizations: 1,
      AuthorizationsApproved: approved ? 1 : 0,
      ...(!approved && { AuthorizationsDeclined: 1 }),
    }));
  } else if (commit.entry?.kind === "deposit_suspended") {
    logMeasured(message, { programId, kind, depositId, suspenseId }, () => ({ DepositsSuspended: 1 }));
  } else log.info(message, { programId, kind });
}
