import { listPage } from "../../shared/lists/list-page.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { toActor } from "../../shared/tenancy/audit-log.ts";
import {
  changeTicket,
  raiseTicket as raise,
  Ticket,
  tickets,
  toTicketDetail,
  toTicketView,
} from "../../shared/tenancy/tickets/ticket.ts";

/** A ticket's status depends on the time, so the filter applies after the read. */
export const listTickets: Operations["GET /account/tickets"] = async ({ scope, query }) => {
  const { status, priority, limit, offset, ...order } = query;
  const { items } = await listPage(
    {
      records: tickets.records(scope.tenantId),
      orders: { dateUpdated: "updatedAt" },
      filters: { priority },
      view: (item) => toTicketView(Ticket.parse(item)),
    },
    { ...order, limit: Number.POSITIVE_INFINITY, offset: 0 },
  );
  const matching = items.filter((ticket) => status === undefined || ticket.status === status);
  return { items: matching.slice(offset, offset + limit), total: matching.length };
};

export const viewTicket: Operations["GET /account/tickets/{ticketId}"] = async ({ scope, path }) =>
  toTicketDetail(await tickets.at(scope.tenantId, path.ticketId).require());

export const raiseTicket: Operations["POST /account/tickets"] = async (request) =>
  toTicketDetail(await raise(request.scope.tenantId, request.body, toActor(request)));

const changing =
  (step: "comment" | "reopen"): Operations["POST /account/tickets/{ticketId}/reopen"] =>
  async (request) => {
    const { scope, path, body } = request;
    const actor = toActor(request);
    return toTicketDetail(await changeTicket(scope.tenantId, path.ticketId, step, body.message, actor));
  };

/** @throws ApiError ILLEGAL_TRANSITION if resolved or closed; LIMIT_REACHED at 50 */
export const commentOnTicket = changing("comment");
/** @throws ApiError ILLEGAL_TRANSITION unless resolved in the last 72 hours */
export const reopenTicket = changing("reopen");
