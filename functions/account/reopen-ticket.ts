import { actorOf } from "../../shared/tenant/audit.ts";
import { toTicketDetail } from "../../shared/ticket/ticket.ts";
import { changeTicket } from "../../shared/ticket/ticket-change.ts";
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
