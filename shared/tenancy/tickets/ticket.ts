import * as z from "zod";
import {
  maximumComments,
  type TicketDetail,
  type TicketStatus,
  type TicketView,
  ticketStatus,
} from "../../contract/account-tickets.ts";
import { TicketPriority } from "../../contract/enums.ts";
import { id, integerEnum, timestamp } from "../../contract/primitives.ts";
import { timestamp as toTimestamp } from "../../platform/clock.ts";
import { deadlineDelete, deadlinePut, defineDeadline } from "../../platform/deadlines.ts";
import { limitReached, statusError } from "../../platform/http/api-error.ts";
import { newId } from "../../platform/id.ts";
import { all, atMost, oneOf } from "../../platform/table/condition.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { Conflict, retry } from "../../platform/table/retry.ts";
import { transact, type WriteAction } from "../../platform/table/transact.ts";
import { findStep, fromEach, type TransitionTable } from "../../platform/table/transition.ts";
import { type Actor, type AuditAction, auditPut } from "../audit-log.ts";

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

const closing = defineDeadline("close_ticket", "normal");

export const tickets = defineEntity({
  name: "ticket",
  schema: Ticket,
  key: (tenantId: string, ticketId: string) => ({ pk: `${tenantId}#TICKETS`, sk: `TICKET#${ticketId}` }),
});

export const comments = defineEntity({
  name: "comment",
  schema: z.object({
    commentId: id("comment"),
    author: z.enum(["tenant", "platform"]),
    message: z.string(),
    createdAt: timestamp,
    createdBy: z.string(),
  }),
  key: (tenantId: string, ticketId: string, commentId: string) => ({
    pk: `${tenantId}#${ticketId}`,
    sk: `COMMENT#${commentId}`,
  }),
});

/** Tickets that await the platform's answer, the most urgent first and of these the oldest. */
export const ticketQueue = defineEntity({
  name: "queue",
  schema: Ticket.pick({ tenantId: true, ticketId: true, subject: true, priority: true, updatedAt: true }),
  key: (priority: number, ticketId: string) => ({ pk: "DESK#TICKETS", sk: `${priority}#${ticketId}` }),
});

/** The Tenant comments and reopens, the platform answers and resolves, the clock closes. */
export type TicketTrigger = "comment" | "answer" | "resolve" | "reopen" | "close";

/** Every legal change of a ticket's status; a new one is open. */
export const ticketTransitions = [
  ...fromEach(["open", "pending"], "comment", "open"),
  ...fromEach(["open", "pending"], "answer", "pending"),
  ...fromEach(["open", "pending"], "resolve", "resolved"),
  { from: "resolved", trigger: "reopen", to: "open" },
  { from: "resolved", trigger: "close", to: "closed" },
] as const satisfies TransitionTable<TicketStatus, TicketTrigger>;

/** Who acts next. A closed ticket stays closed: the Tenant raises a new one. */
const nextActors = { open: "platform", pending: "tenant", resolved: "tenant", closed: null } as const;

/** Closed by the clock, even before the sweep writes it. */
function currentStatus({ status, closesAt }: Ticket): TicketStatus {
  return status === "resolved" && closesAt !== undefined && closesAt <= toTimestamp() ? "closed" : status;
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

/** Has the ticket's comments, oldest first. */
export async function toTicketDetail(ticket: Ticket): Promise<TicketDetail> {
  const found = await comments.list(ticket.tenantId, ticket.ticketId);
  const views = found.map(({ createdAt, createdBy: _, ...comment }) => ({
    ...comment,
    dateCreated: createdAt,
  }));
  return { ...toTicketView(ticket), comments: views };
}

/** Only the clock closes a ticket. */
type TicketAction = Exclude<TicketTrigger, "close">;

const reopenableForMs = 72 * 3_600_000;

const rules = {
  comment: { author: "tenant", audit: "ticket.comment" },
  reopen: { author: "tenant", audit: "ticket.reopen" },
  answer: { author: "platform", audit: "ticket.comment" },
  resolve: { author: "platform", audit: "ticket.resolve" },
} as const satisfies Record<TicketAction, unknown>;

/** The message is the ticket's first comment. */
export async function raiseTicket(
  tenantId: string,
  { subject, message, priority }: Pick<Ticket, "subject" | "priority"> & { readonly message: string },
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
    tickets.at(tenantId, ticket.ticketId).create(ticket),
    createComment(ticket, "tenant", message, actor),
    queueWrite(ticket),
    auditTicket("ticket.create", undefined, ticket, actor),
  ]);
  if (!outcome.committed) throw new Error(`The ticket ${ticket.ticketId} exists already.`);
  return ticket;
}

/**
 * With the message as a comment. A resolved ticket can be re-opened for 72 hours.
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION; LIMIT_REACHED at 50 comments
 */
export function changeTicket(
  tenantId: string,
  ticketId: string,
  action: TicketAction,
  message: string | undefined,
  actor: Actor,
): Promise<Ticket> {
  return retry(async () => {
    const found = await tickets.at(tenantId, ticketId).require();
    requireLegal(found, action, actor);
    const ticket = applyAction(found, action, message, actor);
    const outcome = await transact([
      replaceTicket(found, ticket, action),
      ...(message === undefined ? [] : [createComment(ticket, rules[action].author, message, actor)]),
      queueWrite(ticket),
      ...deadlineWrites(ticket, action),
      auditTicket(rules[action].audit, found, ticket, actor),
    ]);
    return outcome.committed ? ticket : new Conflict("ticket");
  });
}

/** False if the resolved ticket was re-opened meanwhile. */
export async function closeTicket(tenantId: string, ticketId: string, at: string): Promise<boolean> {
  const { from, to } = findStep(ticketTransitions, "close");
  const { committed } = await transact([
    tickets
      .at(tenantId, ticketId)
      .update({ set: { status: to, updatedAt: at } }, { status: oneOf(from), closesAt: atMost(at) }),
    deadlineDelete(tenantId, ticketId),
  ]);
  return committed;
}

function requireLegal({ status, closesAt, comments }: Ticket, action: TicketAction, actor: Actor): void {
  const { from } = findStep(ticketTransitions, action);
  const isLate = closesAt !== undefined && closesAt <= actor.at;
  if (!from.includes(status) || isLate) throw statusError(isLate ? "closed" : status, from);
  if (comments >= maximumComments) throw limitReached(maximumComments, "comments of a ticket", comments);
}

function applyAction(found: Ticket, action: TicketAction, message: string | undefined, actor: Actor): Ticket {
  const { closesAt: _, ...ticket } = found;
  const status = findStep(ticketTransitions, action).to;
  return {
    ...ticket,
    status,
    comments: found.comments + (message === undefined ? 0 : 1),
    updatedAt: actor.at,
    ...(status === "resolved" && { closesAt: toTimestamp(new Date(Date.parse(actor.at) + reopenableForMs)) }),
  };
}

/** Requires the ticket as read: else a comment could be lost and the audit log be wrong. */
function replaceTicket(found: Ticket, ticket: Ticket, action: TicketAction): WriteAction {
  const isLegal = { status: oneOf(findStep(ticketTransitions, action).from) };
  const isUnchanged = { updatedAt: found.updatedAt, comments: found.comments };
  return tickets.at(ticket.tenantId, ticket.ticketId).put(ticket, all(isLegal, isUnchanged));
}

function createComment(
  { tenantId, ticketId }: Ticket,
  author: "tenant" | "platform",
  message: string,
  actor: Actor,
): WriteAction {
  const commentId = newId("comment");
  const comment = { commentId, author, message, createdAt: actor.at, createdBy: actor.by };
  return comments.at(tenantId, ticketId, commentId).create(comment);
}

function queueWrite({ tenantId, ticketId, subject, priority, updatedAt, status }: Ticket): WriteAction {
  const queued = ticketQueue.at(priority, ticketId);
  return status === "open"
    ? queued.put({ tenantId, ticketId, subject, priority, updatedAt })
    : queued.delete();
}

function deadlineWrites({ tenantId, ticketId, closesAt }: Ticket, action: TicketAction): WriteAction[] {
  if (action === "reopen") return [deadlineDelete(tenantId, ticketId)];
  if (closesAt === undefined) return [];
  return [deadlinePut(closing.at({ ownerId: tenantId, deadlineId: ticketId, dueAt: new Date(closesAt) }))];
}

function auditTicket(action: AuditAction, before: Ticket | undefined, after: Ticket, actor: Actor) {
  const { tenantId, ticketId: subjectId } = after;
  const change = { before: before ? toTicketView(before) : null, after: toTicketView(after) };
  return auditPut(actor, { tenantId, action, subjectId, ...change });
}
