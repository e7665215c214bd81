import { maximumComments } from "../../contract/account-tickets.ts";
import { timestamp } from "../../platform/clock.ts";
import { deadlineDelete, deadlinePut } from "../../platform/deadlines.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { newId } from "../../platform/id.ts";
import { all, atMost, oneOf } from "../../platform/table/condition.ts";
import { Conflict, retry } from "../../platform/table/retry.ts";
import { transact, type WriteAction } from "../../platform/table/transact.ts";
import { stepOf } from "../../platform/table/transition.ts";
import { type Actor, type AuditAction, auditPut } from "../audit-log.ts";
import {
  comments,
  type Ticket,
  type TicketTrigger,
  ticketDesk,
  tickets,
  ticketTransitions,
  toTicketView,
} from "./ticket.ts";

/** What a person does to a ticket; only the clock closes one. */
type TicketAction = Exclude<TicketTrigger, "close">;

const reopenableForMs = 72 * 3_600_000;

const rules: Record<TicketAction, { readonly author: "tenant" | "platform"; readonly audit: AuditAction }> = {
  comment: { author: "tenant", audit: "ticket.comment" },
  reopen: { author: "tenant", audit: "ticket.reopen" },
  answer: { author: "platform", audit: "ticket.comment" },
  resolve: { author: "platform", audit: "ticket.resolve" },
};

type TicketRequest = Pick<Ticket, "subject" | "priority"> & { readonly message: string };

/** Creates an open ticket; its message is its first comment. */
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
    tickets.at(tenantId, ticket.ticketId).create(ticket),
    createComment(ticket, "tenant", message, actor),
    deskWrite(ticket),
    auditTicket("ticket.create", undefined, ticket, actor),
  ]);
  if (!outcome.committed) throw new Error(`The ticket ${ticket.ticketId} exists already.`);
  return ticket;
}

/**
 * By the transition table, with the message as a comment. A resolved ticket can be re-opened for 72 hours,
 * then closes. Retries when another request changed the ticket.
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
      deskWrite(ticket),
      ...deadlineWrites(ticket, action),
      auditTicket(rules[action].audit, found, ticket, actor),
    ]);
    return outcome.committed ? ticket : new Conflict("ticket");
  });
}

/** Closes a resolved ticket whose time has come; false if it was re-opened meanwhile. */
export async function closeTicket(tenantId: string, ticketId: string, at: string): Promise<boolean> {
  const { from, to } = stepOf(ticketTransitions, "close");
  const { committed } = await transact([
    tickets
      .at(tenantId, ticketId)
      .update({ set: { status: to, updatedAt: at } }, { status: oneOf(from), closesAt: atMost(at) }),
    deadlineDelete(tenantId, ticketId),
  ]);
  return committed;
}

function requireLegal({ status, closesAt, comments }: Ticket, action: TicketAction, actor: Actor): void {
  const { from } = stepOf(ticketTransitions, action);
  const isLate = closesAt !== undefined && closesAt <= actor.at;
  if (!from.includes(status) || isLate) throw new ApiError("ILLEGAL_TRANSITION");
  if (comments >= maximumComments) throw new ApiError("LIMIT_REACHED");
}

function applyAction(found: Ticket, action: TicketAction, message: string | undefined, actor: Actor): Ticket {
  const { closesAt: _, ...ticket } = found;
  const status = stepOf(ticketTransitions, action).to;
  return {
    ...ticket,
    status,
    comments: found.comments + (message === undefined ? 0 : 1),
    updatedAt: actor.at,
    ...(status === "resolved" && { closesAt: timestamp(new Date(Date.parse(actor.at) + reopenableForMs)) }),
  };
}

/** Requires the ticket as read: else a comment could be lost and the audit log be wrong. */
function replaceTicket(found: Ticket, ticket: Ticket, action: TicketAction): WriteAction {
  const isLegal = { status: oneOf(stepOf(ticketTransitions, action).from) };
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

/** An open ticket awaits the platform's answer, any other does not. */
function deskWrite({ tenantId, ticketId, subject, priority, updatedAt, status }: Ticket): WriteAction {
  const desk = ticketDesk.at(priority, ticketId);
  return status === "open" ? desk.put({ tenantId, ticketId, subject, priority, updatedAt }) : desk.delete();
}

function deadlineWrites({ tenantId, ticketId, closesAt }: Ticket, action: TicketAction): WriteAction[] {
  if (action === "reopen") return [deadlineDelete(tenantId, ticketId)];
  if (closesAt === undefined) return [];
  return [
    deadlinePut({ ownerId: tenantId, deadlineId: ticketId, kind: "close_ticket", dueAt: new Date(closesAt) }),
  ];
}

function auditTicket(
  action: AuditAction,
  before: Ticket | undefined,
  after: Ticket,
  actor: Actor,
): WriteAction {
  const { tenantId, ticketId: subjectId } = after;
  const change = { before: before ? toTicketView(before) : null, after: toTicketView(after) };
  return auditPut({ tenantId, action, subjectId, ...change }, actor);
}
