import { maximumComments } from "../../contract/account-tickets.ts";
import { timestamp } from "../../platform/clock.ts";
import { deadlineDelete, deadlinePut } from "../../platform/deadlines/deadline.ts";
import { environment } from "../../platform/environment.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { backOff, maximumAttempts } from "../../platform/table/back-off.ts";
import { ticketKey } from "../../platform/table/tenant-keys.ts";
import { TransactionContendedError, transact, type WriteAction } from "../../platform/table/transact.ts";
import { compileTransition } from "../../platform/table/transition.ts";
import { type Actor, type AuditAction, auditPut } from "../audit-log.ts";
import { commentPut, deskDelete, deskPut } from "./new-ticket.ts";
import { getTicket, type Ticket, toTicketView } from "./ticket.ts";
import { type TicketTrigger, ticketTransitions } from "./ticket-transitions.ts";

/** What somebody does to a ticket; closing is the clock's alone. */
export type TicketAction = Exclude<TicketTrigger, "close">;

/** How long a resolved ticket can be re-opened. */
const reopenableForMs = 72 * 3_600_000;

const rules: Record<TicketAction, { readonly author: "tenant" | "platform"; readonly audit: AuditAction }> = {
  comment: { author: "tenant", audit: "ticket.comment" },
  reopen: { author: "tenant", audit: "ticket.reopen" },
  answer: { author: "platform", audit: "ticket.comment" },
  resolve: { author: "platform", audit: "ticket.resolve" },
};

/**
 * Changes a ticket's status where the transition table permits it, with what is said along with it. A resolved ticket is closed 72 hours later, and
 * until then can be re-opened: by the clock, whether or not the closing was written already. Changes that race are made one after the other.
 *
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION; LIMIT_REACHED at 50 comments
 */
export async function changeTicket(
  tenantId: string,
  ticketId: string,
  action: TicketAction,
  message: string | undefined,
  actor: Actor,
): Promise<Ticket> {
  for (let attempt = 1; attempt <= maximumAttempts; attempt += 1) {
    const found = await getTicket(tenantId, ticketId);
    requireLegal(found, action, actor);
    const ticket = await written(found, action, message, actor);
    if (ticket) return ticket;
    await backOff(attempt);
  }
  throw new TransactionContendedError(["ticket"]);
}

function requireLegal({ status, closesAt, comments }: Ticket, action: TicketAction, actor: Actor): void {
  const { from } = compileTransition(ticketTransitions, action, "status");
  const isLate = closesAt !== undefined && closesAt <= actor.at;
  if (!from.some((one) => one === status) || isLate) throw new ApiError("ILLEGAL_TRANSITION");
  if (comments >= maximumComments) throw new ApiError("LIMIT_REACHED");
}

/** The ticket as it was written; undefined where somebody else has changed it since it was read. */
async function written(
  found: Ticket,
  action: TicketAction,
  message: string | undefined,
  actor: Actor,
): Promise<Ticket | undefined> {
  const { tenantId, ticketId } = found;
  const { author, audit } = rules[action];
  const ticket = changed(found, action, message, actor);
  const { committed } = await transact([
    statusWrite(found, ticket, action),
    ...(message === undefined ? [] : [commentPut(ticket, author, message, actor)]),
    ticket.status === "open" ? deskPut(ticket) : deskDelete(ticket),
    ...deadlineWrites(ticket, action),
    auditPut(
      {
        tenantId,
        action: audit,
        subjectId: ticketId,
        before: toTicketView(found),
        after: toTicketView(ticket),
      },
      actor,
    ),
  ]);
  return committed ? ticket : undefined;
}

/** The ticket as the action would leave it. */
function changed(found: Ticket, action: TicketAction, message: string | undefined, actor: Actor): Ticket {
  const { closesAt: _, ...ticket } = found;
  const { to } = compileTransition(ticketTransitions, action, "status");
  return {
    ...ticket,
    status: to,
    comments: found.comments + (message === undefined ? 0 : 1),
    updatedAt: actor.at,
    ...(to === "resolved" && { closesAt: timestamp(new Date(Date.parse(actor.at) + reopenableForMs)) }),
  };
}

/** Nobody else may have changed it since it was read, or what was said would be lost, and the audit log wrong. */
function statusWrite(found: Ticket, ticket: Ticket, action: TicketAction): WriteAction {
  const { condition, names, conditionValues } = compileTransition(ticketTransitions, action, "status");
  return {
    name: "ticket",
    Put: {
      TableName: environment.issuingTable,
      Item: { ...ticketKey.ticket(ticket.tenantId, ticket.ticketId), ...ticket },
      ConditionExpression: `${condition} AND updatedAt = :found AND comments = :comments`,
      ExpressionAttributeNames: names,
      ExpressionAttributeValues: {
        ...conditionValues,
        ":found": found.updatedAt,
        ":comments": found.comments,
      },
    },
  };
}

function deadlineWrites({ tenantId, ticketId, closesAt }: Ticket, action: TicketAction): WriteAction[] {
  if (action === "reopen") return [deadlineDelete(tenantId, ticketId)];
  if (closesAt === undefined) return [];
  return [
    deadlinePut({ ownerId: tenantId, deadlineId: ticketId, kind: "close_ticket", dueAt: new Date(closesAt) }),
  ];
}

/** Writes down that a resolved ticket is closed, where its time has come; false where it was re-opened meanwhile. */
export async function closeTicket(tenantId: string, ticketId: string, at: string): Promise<boolean> {
  const { condition, names, values } = compileTransition(ticketTransitions, "close", "status");
  const { committed } = await transact([
    {
      name: "ticket",
      Update: {
        TableName: environment.issuingTable,
        Key: ticketKey.ticket(tenantId, ticketId),
        UpdateExpression: "SET #status = :status, updatedAt = :now",
        ConditionExpression: `${condition} AND closesAt <= :now`,
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: { ...values, ":now": at },
      },
    },
    deadlineDelete(tenantId, ticketId),
  ]);
  return committed;
}
