import * as z from "zod";
import { TicketPriority } from "./enums.ts";
import { id, integerEnum, listQuery, paragraphs, prose, queryEnum, timestamp } from "./primitives.ts";
import { routesWith } from "./route.ts";

export const ticketStatus = z.enum(["open", "pending", "resolved", "closed"]);
export type TicketStatus = z.output<typeof ticketStatus>;

export const maximumComments = 50;

const message = paragraphs(5_000);

export const TicketCreate = z.object({
  subject: prose(200),
  message,
  priority: integerEnum(TicketPriority).default(TicketPriority.informational),
});
export const TicketComment = z.object({ message });
export const TicketReopen = z.object({ message: message.optional() });

export const TicketView = z.object({
  ticketId: id("ticket"),
  subject: z.string(),
  priority: integerEnum(TicketPriority),
  status: ticketStatus,
  /** Who can act next. Null for a closed ticket. */
  nextActor: z.enum(["platform", "tenant"]).nullable(),
  dateCreated: timestamp,
  dateUpdated: timestamp,
  /** Until when the Tenant can re-open a resolved ticket. */
  reopenableUntil: timestamp.optional(),
});
export type TicketView = z.output<typeof TicketView>;

export const CommentView = z.object({
  commentId: id("comment"),
  author: z.enum(["tenant", "platform"]),
  message: z.string(),
  dateCreated: timestamp,
});

/** A ticket with its comments, oldest first. The first comment is the message of the ticket. */
export const TicketDetail = TicketView.extend({ comments: z.array(CommentView) });
export type TicketDetail = z.output<typeof TicketDetail>;

const route = routesWith({ api: "platform", function: "account", level: "tenant" });

export const accountTicketRoutes = [
  route("GET /account/tickets", "read listTickets", "List support tickets", {
    query: listQuery(["ticketId", "dateCreated", "dateUpdated", "priority"], {
      status: ticketStatus.optional(),
      priority: queryEnum(TicketPriority).optional(),
    }),
    items: TicketView,
  }),
  route("POST /account/tickets", "write raiseTicket", "Open a support ticket", {
    creates: true,
    body: TicketCreate,
    data: TicketDetail,
  }),
  route("GET /account/tickets/{ticketId}", "read viewTicket", "View a support ticket with its comments", {
    data: TicketDetail,
  }),
  route("POST /account/tickets/{ticketId}/comments", "write commentOnTicket", "Comment on a support ticket", {
    creates: true,
    body: TicketComment,
    data: TicketDetail,
    errors: ["ILLEGAL_TRANSITION", "LIMIT_REACHED"],
  }),
  route(
    "POST /account/tickets/{ticketId}/reopen",
    "write reopenTicket",
    "Re-open a support ticket within 72 hours of its resolution",
    { body: TicketReopen, data: TicketDetail, errors: ["ILLEGAL_TRANSITION"] },
  ),
];
