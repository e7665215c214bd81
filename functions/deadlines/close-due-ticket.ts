import { timestamp } from "../../shared/clock.ts";
import { type Deadline, deadlineDelete } from "../../shared/deadline/deadline.ts";
import { transact } from "../../shared/table/transact.ts";
import { closeTicket } from "../../shared/ticket/ticket-change.ts";

/**
 * Closes a ticket that nobody has re-opened in 72 hours. It reads as closed from that time on anyway. The ticket's status is the claim: when it
 * was re-opened after all, there is nothing left to do but to take the deadline away.
 */
export async function closeDueTicket({ ownerId: tenantId, deadlineId: ticketId }: Deadline): Promise<void> {
  const closed = await closeTicket(tenantId, ticketId, timestamp());
  if (!closed) await transact([deadlineDelete(tenantId, ticketId)]);
}
