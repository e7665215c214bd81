import { GetCommand, paginateQuery } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import {
  type CommentView,
  type TicketDetail,
  type TicketStatus,
  type TicketView,
  ticketPriorities,
  ticketStatus,
} from "../../contract/account-tickets.ts";
import { id, timestamp } from "../../contract/primitives.ts";
import { timestamp as timestampOf } from "../../platform/clock.ts";
import { environment } from "../../platform/environment.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { table } from "../../platform/table/client.ts";
import { ticketKey } from "../../platform/table/tenant-keys.ts";
import { nextActorOf } from "./ticket-transitions.ts";

/** A support ticket of a Tenant. */
export const Ticket = z.object({
  ticketId: id("ticket"),
  tenantId: id("tenant"),
  subject: z.string(),
  priority: z.literal(ticketPriorities),
  status: ticketStatus,
  comments: z.int(),
  createdAt: timestamp,
  updatedAt: timestamp,
  /** While it is resolved: from when on it is closed. */
  closesAt: timestamp.optional(),
});
export type Ticket = z.output<typeof Ticket>;

const Comment = z.object({
  commentId: id("comment"),
  author: z.enum(["tenant", "platform"]),
  message: z.string(),
  createdAt: timestamp,
});

/**
 * The Tenant's ticket as it was last written. One consistent read.
 *
 * @throws ApiError NOT_FOUND
 */
export async function getTicket(tenantId: string, ticketId: string): Promise<Ticket> {
  const { Item } = await table.send(
    new GetCommand({
      TableName: environment.issuingTable,
      Key: ticketKey.ticket(tenantId, ticketId),
      ConsistentRead: true,
    }),
  );
  if (!Item) throw new ApiError("NOT_FOUND");
  return Ticket.parse(Item);
}

/** The ticket's status by the clock: it is closed once its time has passed, whether or not that was written already. */
function statusNow({ status, closesAt }: Ticket): TicketStatus {
  return status === "resolved" && closesAt !== undefined && closesAt <= timestampOf() ? "closed" : status;
}

/** The ticket as it is answered. */
export function toTicketView(ticket: Ticket): TicketView {
  const { ticketId, subject, priority, createdAt, updatedAt, closesAt } = ticket;
  const status = statusNow(ticket);
  return {
    ticketId,
    subject,
    priority,
    status,
    nextActor: nextActorOf[status],
    dateCreated: createdAt,
    dateUpdated: updatedAt,
    reopenableUntil: status === "resolved" ? closesAt : undefined,
  };
}

/** The ticket with all of its comments, oldest first. */
export async function toTicketDetail(ticket: Ticket): Promise<TicketDetail> {
  return { ...toTicketView(ticket), comments: await readComments(ticket) };
}

async function readComments({ tenantId, ticketId }: Ticket): Promise<CommentView[]> {
  const { pk, sk } = ticketKey.comment(tenantId, ticketId, "");
  const comments: CommentView[] = [];
  const pages = paginateQuery(
    { client: table },
    {
      TableName: environment.issuingTable,
      ConsistentRead: true,
      KeyConditionExpression: "pk = :pk AND begins_with(sk, :prefix)",
      ExpressionAttributeValues: { ":pk": pk, ":prefix": sk },
    },
  );
  for await (const { Items } of pages) {
    for (const item of Items ?? []) {
      const { createdAt: dateCreated, ...comment } = Comment.parse(item);
      comments.push({ ...comment, dateCreated });
    }
  }
  return comments;
}
