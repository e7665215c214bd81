import type { Change, OfProgram } from "../../changes/change.ts";
import { type AnswerOrRejection, execute, type Once } from "../../changes/execute.ts";
import { renewLeaseAhead } from "../../controls/rulebooks.ts";
import { log } from "../../platform/log.ts";
import { logMeasured } from "../../platform/metrics.ts";
import type { Becomes } from "../card-change.ts";
import type { PlannedEvent } from "../card-event.ts";
import { eventRecord } from "../event-record.ts";
import { namedWrites } from "../named-message.ts";
import type { CardOutcome, Refusal } from "../plan.ts";
import { messageWrites } from "../repeated-message.ts";

interface Sent extends OfProgram {
  readonly event: PlannedEvent;
}

type Outcome = CardOutcome | Becomes;

/** What makes the event's change happen once: its record, and what names its message. */
export function recordWrites(event: PlannedEvent): Once<Outcome>["writes"] {
  return ({ answer, ...decided }, at) =>
    "becomes" in answer
      ? []
      : [
          eventRecord(event, { ...decided, answer }, at),
          ...messageWrites(event, at),
          ...namedWrites(event, at),
        ];
}

/** Executes the change with the event's record, and logs it once: a repetition changes nothing. */
export async function executeSent<Event extends Sent, Found extends object, First>(
  change: Change<Event, Found, Outcome, Refusal>,
  sent: Event,
  once: Once<Outcome, First>,
): Promise<AnswerOrRejection<Outcome | First, Refusal>> {
  const [outcome] = await Promise.all([execute(change, sent, once), renewLeaseAhead(sent.programId)]);
  if ("answer" in outcome && outcome.isNew) logApplied(sent.event, outcome.answer as CardOutcome);
  return outcome;
}

function logApplied(
  { programId, kind }: PlannedEvent,
  { result, question, isSuspension }: CardOutcome,
): void {
  // It is logged with its decision.
  if (question) return;
  const message = "The event is applied.";
  const { approved, declineReason: reason, decidedBy, depositId, suspenseId } = result;
  if (approved !== undefined) {
    logMeasured(message, { programId, kind, reason, decidedBy }, () => ({
      Authorizations: 1,
      AuthorizationsApproved: approved ? 1 : 0,
      ...(!approved && { AuthorizationsDeclined: 1 }),
    }));
  } else if (isSuspension) {
    logMeasured(message, { programId, kind, depositId, suspenseId }, () => ({ DepositsSuspended: 1 }));
  } else log.info(message, { programId, kind });
}
