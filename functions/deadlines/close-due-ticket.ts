import { timestamp } from "../../shared/platform/clock.ts";
import { type Deadline, deadlineMove } from "../../shared/platform/deadlines/deadline.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { closeTicket } from "../../shared/tenancy/tickets/ticket-change.ts";

/**
 * Closes a ticket that nobody has re-opened in 72 hours. It reads as closed from that time on anyway. The ticket's status is the claim: when it
 * was re-opened after all, there is nothing left to do but to take the deadline away, unless it is another one by now.
 */
export async function closeDueTicket(deadline: Deadline): Promise<void> {
  const { ownerId: tenantId, deadlineId: ticketId } = deadline;
  const closed = await closeTicket(tenantId, ticketId, timestamp());
  if (!closed) await transact([deadlineMove(deadline, undefined)]);
}
