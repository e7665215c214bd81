import { ticketDesk, tickets, toTicketDetail, toTicketView } from "../../shared/tenancy/tickets/ticket.ts";
import { changeTicket } from "../../shared/tenancy/tickets/ticket-change.ts";
import type { Command } from "./command.ts";

/** The tickets that await the platform's answer, the most urgent first and of these the oldest. */
export const listTickets: Command<"list-tickets"> = async ({ limit }) => ({
  tickets: await ticketDesk.first(limit),
});

/**
 * A ticket with all that was said.
 *
 * @throws CommandRefused when the Tenant has no such ticket
 */
export const viewTicket: Command<"view-ticket"> = async ({ tenantId, ticketId }) =>
  toTicketDetail(await tickets.at(tenantId, ticketId).require());

/**
 * Answers a ticket: the Tenant acts next.
 *
 * @throws CommandRefused when the Tenant has no such ticket, or it is resolved or closed
 */
export const answerTicket: Command<"answer-ticket"> = async ({ tenantId, ticketId, message }, actor) =>
  toTicketView(await changeTicket(tenantId, ticketId, "answer", message, actor));

/**
 * Resolves a ticket, with a last word or without; it is closed 72 hours later unless the Tenant re-opens it.
 *
 * @throws CommandRefused when the Tenant has no such ticket, or it is resolved or closed
 */
export const resolveTicket: Command<"resolve-ticket"> = async ({ tenantId, ticketId, message }, actor) =>
  toTicketView(await changeTicket(tenantId, ticketId, "resolve", message, actor));
