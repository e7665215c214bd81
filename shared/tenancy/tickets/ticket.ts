import * as z from "zod";
import {
  type TicketDetail,
  type TicketStatus,
  type TicketView,
  ticketStatus,
} from "../../contract/account-tickets.ts";
import { TicketPriority } from "../../contract/enums.ts";
import { id, integerEnum, timestamp } from "../../contract/primitives.ts";
import { timestamp as timestampNow } from "../../platform/clock.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { ticketKey } from "../../platform/table/keys.ts";
import type { TransitionTable } from "../../platform/table/transition.ts";

export const Ticket = z.object({
  ticketId: id("ticket"),
  tenantId: id("tenant"),
  subject: z.string(),
  priority: integerEnum(TicketPriority),
  status: ticketStatus,
  comments: z.int(),
  createdAt: timestamp,
  updatedAt: timestamp,
  /** When a resolved ticket closes. */
  closesAt: timestamp.optional(),
});
export type Ticket = z.output<typeof Ticket>;

export const tickets = defineEntity({
  name: "ticket",
  table: "issuing",
  schema: Ticket,
  key: ticketKey.ticket,
});

export const comments = defineEntity({
  name: "comment",
  table: "issuing",
  schema: z.object({
    commentId: id("comment"),
    author: z.enum(["tenant", "platform"]),
    message: z.string(),
    createdAt: timestamp,
    createdBy: z.string(),
  }),
  key: ticketKey.comment,
});

/** Tickets that await the platform's answer, the most urgent first and of these the oldest. */
export const ticketDesk = defineEntity({
  name: "desk",
  table: "issuing",
  schema: Ticket.pick({ tenantId: true, ticketId: true, subject: true, priority: true, updatedAt: true }),
  key: ticketKey.desk,
});

/**
 * - comment: POST /account/tickets/{ticketId}/comments
 * - answer, resolve: platform administration
 * - reopen: POST /account/tickets/{ticketId}/reopen, within 72 hours
 * - close: 72 hours have passed
 */
export type TicketTrigger = "comment" | "answer" | "resolve" | "reopen" | "close";

/** Every legal change of a ticket's status. A new ticket is open. */
export const ticketTransitions = [
  { from: "open", trigger: "comment", to: "open" },
  { from: "pending", trigger: "comment", to: "open" },
  { from: "open", trigger: "answer", to: "pending" },
  { from: "pending", trigger: "answer", to: "pending" },
  { from: "open", trigger: "resolve", to: "resolved" },
  { from: "pending", trigger: "resolve", to: "resolved" },
  { from: "resolved", trigger: "reopen", to: "open" },
  { from: "resolved", trigger: "close", to: "closed" },
] as const satisfies TransitionTable<TicketStatus, TicketTrigger>;

/** Who may act next. Nobody in a closed ticket: the Tenant raises a new one. */
const nextActors = { open: "platform", pending: "tenant", resolved: "tenant", closed: null } as const;

/** Closed by the clock, even before the sweep writes it. */
function currentStatus({ status, closesAt }: Ticket): TicketStatus {
  return status === "resolved" && closesAt !== undefined && closesAt <= timestampNow() ? "closed" : status;
}

export function toTicketView(ticket: Ticket): TicketView {
  const { ticketId, subject, priority, createdAt, updatedAt, closesAt } = ticket;
  const status = currentStatus(ticket);
  return {
    ticketId,
    subject,
    priority,
    status,
    nextActor: nextActors[status],
    dateCreated: createdAt,
    dateUpdated: updatedAt,
    reopenableUntil: status === "resolved" ? closesAt : undefined,
  };
}

/** The ticket with all of its comments, oldest first. */
export async function toTicketDetail(ticket: Ticket): Promise<TicketDetail> {
  const found = await comments.list(ticket.tenantId, ticket.ticketId);
  return {
    ...toTicketView(ticket),
    comments: found.map(({ commentId, author, message, createdAt: dateCreated }) => ({
      commentId,
      author,
      message,
      dateCreated,
    })),
  };
}
