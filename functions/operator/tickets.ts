import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { operatorCommands } from "../../shared/contract/operator.ts";
import { environment } from "../../shared/platform/environment.ts";
import { table } from "../../shared/platform/table/client.ts";
import { ticketKey } from "../../shared/platform/table/tenant-keys.ts";
import { getTicket, toTicketDetail, toTicketView } from "../../shared/tenancy/tickets/ticket.ts";
import { changeTicket } from "../../shared/tenancy/tickets/ticket-change.ts";
import type { Command } from "./command.ts";

const { tickets } = operatorCommands["list-tickets"].output.shape;

/** The tickets that await the platform's answer, the most urgent first and of these the oldest, some at a time. */
export const listTickets: Command<"list-tickets"> = async ({ limit }) => {
  const { Items } = await table.send(
    new QueryCommand({
      TableName: environment.issuingTable,
      ConsistentRead: true,
      KeyConditionExpression: "pk = :desk",
      ExpressionAttributeValues: { ":desk": ticketKey.desk(0, "").pk },
      Limit: limit,
    }),
  );
  return { tickets: tickets.parse(Items) };
};

/**
 * A ticket with all that was said.
 *
 * @throws CommandRefused when the Tenant has no such ticket
 */
export const viewTicket: Command<"view-ticket"> = async ({ tenantId, ticketId }) =>
  toTicketDetail(await getTicket(tenantId, ticketId));

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
