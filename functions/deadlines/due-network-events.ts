import { holds } from "../../shared/authorizations/holds/hold.ts";
import { expiry as holdExpiry, lapse as holdLapse } from "../../shared/authorizations/holds/hold-rules.ts";
import { execute } from "../../shared/changes/execute.ts";
import { disputes } from "../../shared/disputes/dispute.ts";
import { lapse } from "../../shared/network-events/apply/ask-and-decide.ts";
import { cardChanges } from "../../shared/network-events/apply/card-changes.ts";
import { findChange, toSent } from "../../shared/network-events/apply/execute-event.ts";
import type { PlannedEvent } from "../../shared/network-events/card-event.ts";
import { timestamp } from "../../shared/platform/clock.ts";
import type { DueDeadline } from "../../shared/platform/deadlines.ts";
import { newId } from "../../shared/platform/id.ts";

/** Releases a hold that the network has not resolved in seven days. */
export function expireDueHold(deadline: DueDeadline): Promise<boolean> {
  return expireHold(deadline.ownerId, holdExpiry.parse(deadline).authorizationId, deadline.dueAt);
}

/** Declines what was asked about and not decided in time: it holds nothing any more. */
export async function lapseDueAuthorization(deadline: DueDeadline): Promise<boolean> {
  const { ownerId: programId, dueAt } = deadline;
  const { authorizationId } = holdLapse.parse(deadline);
  const hold = await holds.at(programId, authorizationId).get();
  const due = (hold?.reservations ?? []).filter(({ lapsesAt }) => lapsesAt <= timestamp(dueAt));
  for (const { eventId } of due) await lapse(cardChanges, programId, eventId);
  return due.length > 0;
}

/** Whether the hold was due and no event came first. */
export async function expireHold(programId: string, authorizationId: string, dueAt: Date): Promise<boolean> {
  const hold = await holds.at(programId, authorizationId).get();
  if (!hold) return false;
  const { cardId } = hold;
  const kind = "authorization_expiry";
  const event = { kind, eventId: newId("event"), programId, cardId, authorizationId, dueAt } as const;
  return executeDue(event);
}

/** Grants a dispute's provisional credit, or ends a status that lasted too long. */
export async function takeDisputeStep(
  { ownerId: programId, dueAt }: DueDeadline,
  disputeId: string,
  step: "credit" | "end",
): Promise<boolean> {
  const { cardId } = await disputes.at(programId, disputeId).require();
  const kind = "dispute_step";
  const event = { kind, eventId: newId("event"), programId, cardId, disputeId, step, dueAt } as const;
  return executeDue(event);
}

/** False if another event came first. Needs no record: a second run fails its conditions. */
async function executeDue(event: PlannedEvent): Promise<boolean> {
  return "answer" in (await execute(findChange(cardChanges, event), toSent(event)));
}
