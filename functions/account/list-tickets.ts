import { listPage } from "../../shared/lists/list-page.ts";
import { ticketKey } from "../../shared/platform/table/tenant-keys.ts";
import { Ticket, toTicketView } from "../../shared/tenancy/tickets/ticket.ts";
import type { AccountOperations } from "./operations.ts";

/** The Tenant's support tickets. Whether one is closed the clock says, so the status is asked for after they are read. */
export const listTickets: AccountOperations["GET /account/tickets"] = async ({ scope, query }) => {
  const { status, priority, limit, offset, ...order } = query;
  const { pk: partition, sk: prefix } = ticketKey.ticket(scope.tenantId, "");
  const { items } = await listPage(
    {
      records: { partition, prefix },
      orders: {
        ticketId: "ticketId",
        dateCreated: "createdAt",
        dateUpdated: "updatedAt",
        priority: "priority",
      },
      filters: { priority },
    },
    { ...order, limit: Number.POSITIVE_INFINITY, offset: 0 },
  );
  const tickets = items.map((item) => toTicketView(Ticket.parse(item)));
  const matching = tickets.filter((ticket) => status === undefined || ticket.status === status);
  return { items: matching.slice(offset, offset + limit), total: matching.length };
};
