import { environment } from "../../platform/environment.ts";
import { newId } from "../../platform/id.ts";
import { ticketKey } from "../../platform/table/tenant-keys.ts";
import { transact, type WriteAction } from "../../platform/table/transact.ts";
import { type Actor, auditPut } from "../audit-log.ts";
import { type Ticket, toTicketView } from "./ticket.ts";

export interface TicketRequest {
  readonly subject: string;
  readonly message: string;
  readonly priority: Ticket["priority"];
}

/** Raises a ticket: open, and on the desk of those who answer. What it was raised with is its first comment. */
export async function raiseTicket(
  tenantId: string,
  { subject, message, priority }: TicketRequest,
  actor: Actor,
): Promise<Ticket> {
  const ticket: Ticket = {
    ticketId: newId("ticket"),
    tenantId,
    subject,
    priority,
    status: "open",
    comments: 1,
    createdAt: actor.at,
    updatedAt: actor.at,
  };
  const outcome = await transact([
    {
      name: "ticket",
      Put: {
        TableName: environment.issuingTable,
        Item: { ...ticketKey.ticket(tenantId, ticket.ticketId), ...ticket },
        ConditionExpression: "attribute_not_exists(pk)",
      },
    },
    commentPut(ticket, "tenant", message, actor),
    deskPut(ticket),
    auditPut(
      {
        tenantId,
        action: "ticket.create",
        subjectId: ticket.ticketId,
        before: null,
        after: toTicketView(ticket),
      },
      actor,
    ),
  ]);
  if (!outcome.committed) throw new Error(`The id ${ticket.ticketId} was given twice.`);
  return ticket;
}

export function commentPut(
  { tenantId, ticketId }: Ticket,
  author: "tenant" | "platform",
  message: string,
  actor: Actor,
): WriteAction {
  const commentId = newId("comment");
  return {
    name: "comment",
    Put: {
      TableName: environment.issuingTable,
      Item: {
        ...ticketKey.comment(tenantId, ticketId, commentId),
        commentId,
        author,
        message,
        createdAt: actor.at,
        createdBy: actor.by,
      },
      ConditionExpression: "attribute_not_exists(pk)",
    },
  };
}

/** Puts the ticket on the desk of those who answer, where the most urgent lies on top. */
export function deskPut({ tenantId, ticketId, subject, priority, updatedAt }: Ticket): WriteAction {
  return {
    name: "desk",
    Put: {
      TableName: environment.issuingTable,
      Item: { ...ticketKey.desk(priority, ticketId), tenantId, ticketId, subject, priority, updatedAt },
    },
  };
}

export function deskDelete({ priority, ticketId }: Ticket): WriteAction {
  return {
    name: "desk",
    Delete: { TableName: environment.issuingTable, Key: ticketKey.desk(priority, ticketId) },
  };
}
