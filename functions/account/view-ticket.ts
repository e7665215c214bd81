import { getTicket, toTicketDetail } from "../../shared/tenancy/tickets/ticket.ts";
import type { AccountOperations } from "./operations.ts";

/**
 * A support ticket with all that was said.
 *
 * @throws ApiError NOT_FOUND
 */
export const viewTicket: AccountOperations["GET /account/tickets/{ticketId}"] = async ({ scope, path }) =>
  toTicketDetail(await getTicket(scope.tenantId, path.ticketId));
