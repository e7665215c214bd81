import { actorOf } from "../../shared/tenancy/audit-log.ts";
import { toTicketDetail } from "../../shared/tenancy/tickets/ticket.ts";
import { changeTicket } from "../../shared/tenancy/tickets/ticket-change.ts";
import type { AccountOperations } from "./operations.ts";

/**
 * Re-opens a ticket within 72 hours of its resolution, by the clock.
 *
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION unless it is resolved, or later
 */
export const reopenTicket: AccountOperations["POST /account/tickets/{ticketId}/reopen"] = async (request) => {
  const { scope, path, body } = request;
  return toTicketDetail(
    await changeTicket(scope.tenantId, path.ticketId, "reopen", body.message, actorOf(request)),
  );
};
