import { actorOf } from "../../shared/tenancy/audit-log.ts";
import { toTicketDetail } from "../../shared/tenancy/tickets/ticket.ts";
import { changeTicket } from "../../shared/tenancy/tickets/ticket-change.ts";
import type { AccountOperations } from "./operations.ts";

/**
 * Says more in a ticket: the platform acts next.
 *
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION for a resolved or closed one; LIMIT_REACHED at 50 comments
 */
export const commentOnTicket: AccountOperations["POST /account/tickets/{ticketId}/comments"] = async (
  request,
) => {
  const { scope, path, body } = request;
  return toTicketDetail(
    await changeTicket(scope.tenantId, path.ticketId, "comment", body.message, actorOf(request)),
  );
};
