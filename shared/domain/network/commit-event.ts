import type { IdempotencyKey } from "../../platform/idempotency.ts";
import { log } from "../../platform/log.ts";
import { logMeasured } from "../../platform/metrics.ts";
import { renewLeaseAhead } from "../controls/rulebooks.ts";
import { type AnsweredOutcome, commitIdempotent } from "../ledger/commit.ts";
import { eventRecord } from "./event-record.ts";
import { namedWrites } from "./named-message.ts";
import type { EventPlan } from "./plan.ts";
import type { PlannedEvent } from "./plan-event.ts";
import { messageWrites } from "./repeated-message.ts";

/** Commits the plan with the event's record, and logs it once: a repetition commits nothing. */
export async function commitEvent<A>(
  event: PlannedEvent,
  plan: EventPlan,
  key: IdempotencyKey | undefined,
  answer: A,
): Promise<AnsweredOutcome<A>> {
  const { commit, question } = plan;
  const writes = [
    ...commit.writes,
    eventRecord(event, plan),
    ...messageWrites(event, commit.at),
    ...namedWrites(event, commit.at),
  ];
  const [outcome] = await Promise.all([
    commitIdempotent({ ...commit, writes }, key, answer),
    renewLeaseAhead(event.programId),
  ]);
  if (outcome.outcome === "committed" && !question) logApplied(event, plan);
  return outcome;
}

function logApplied({ programId, kind }: PlannedEvent, { result, isSuspension }: EventPlan): void {
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
