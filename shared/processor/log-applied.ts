import type { ProcessorEvent } from "../contract/processor.ts";
import { log } from "../log.ts";
import { logMeasured } from "../measured-line.ts";
import type { AppliedResult } from "./event-plan.ts";

/** Tells of an event that has just been applied, and measures what it decided. A repetition applies nothing, and is not told: each event counts once. */
export function logApplied(
  { programId, kind }: Pick<ProcessorEvent, "programId" | "kind">,
  { approved, declineReason: reason }: AppliedResult,
): void {
  const message = "The event is applied.";
  if (approved === undefined) {
    log.info(message, { programId, kind });
    return;
  }
  logMeasured(message, { programId, kind, reason }, () => ({
    Authorizations: 1,
    AuthorizationsApproved: approved ? 1 : 0,
    ...(!approved && { AuthorizationsDeclined: 1 }),
  }));
}
