import {
  changeTicket,
  ticketQueue,
  tickets,
  toTicketDetail,
  toTicketView,
} from "../../shared/tenancy/tickets/ticket.ts";
import type { Command } from "./command.ts";

/** Tickets that await the platform, the most urgent first, then the oldest. */
export const listTickets: Command<"list-tickets"> = async ({ limit }) => ({
  tickets: await ticketQueue.first(limit),
});

/** @throws CommandRejected if the ticket does not exist */
export const viewTicket: Command<"view-ticket"> = async ({ tenantId, ticketId }) =>
  toTicketDetail(await tickets.at(tenantId, ticketId).require());

/** @throws CommandRejected if the ticket does not exist, or is resolved or closed */
export const answerTicket: Command<"answer-ticket"> = async ({ tenantId, ticketId, message }, actor) =>
  toTicketView(await changeTicket(tenantId, ticketId, "answer", message, actor));

/**
 * The ticket closes 72 hours later unless the Tenant reopens it.
 * @throws CommandRejected if the ticket does not exist, or is resolved or closed
 */
export const resolveTicket: Command<"resolve-ticket"> = async ({ tenantId, ticketId, message }, actor) =>
  toTicketView(await changeTicket(tenantId, ticketId, "resolve", message, actor));
