import { actorOf } from "../../shared/tenancy/audit-log.ts";
import { raiseTicket as raise } from "../../shared/tenancy/tickets/new-ticket.ts";
import { toTicketDetail } from "../../shared/tenancy/tickets/ticket.ts";
import type { AccountOperations } from "./operations.ts";

/** Raises a support ticket: open, with what was said as its first comment. */
export const raiseTicket: AccountOperations["POST /account/tickets"] = async (request) =>
  toTicketDetail(await raise(request.scope.tenantId, request.body, actorOf(request)));
