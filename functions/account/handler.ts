import { accountRoutes } from "../../shared/contract/account.ts";
import { apiHandler } from "../../shared/http/api-handler.ts";
import { allowIp } from "./allow-ip.ts";
import { commentOnTicket } from "./comment-on-ticket.ts";
import { createProgram } from "./create-program.ts";
import { createProgramApiUser } from "./create-program-api-user.ts";
import { createTenantApiUser } from "./create-tenant-api-user.ts";
import { listAllowedIps } from "./list-allowed-ips.ts";
import { listProgramApiUsers, listTenantApiUsers } from "./list-api-users.ts";
import { listAuditLog } from "./list-audit-log.ts";
import { listCardDesigns } from "./list-card-designs.ts";
import { listPrograms } from "./list-programs.ts";
import { listTickets } from "./list-tickets.ts";
import { raiseTicket } from "./raise-ticket.ts";
import { removeIp } from "./remove-ip.ts";
import { reopenTicket } from "./reopen-ticket.ts";
import { resubmitCardDesign } from "./resubmit-card-design.ts";
import { revokeProgramApiUser, revokeTenantApiUser } from "./revoke-api-user.ts";
import { rotateProgramApiUser, rotateTenantApiUser } from "./rotate-api-user.ts";
import { setNotifications } from "./set-notifications.ts";
import { submitCardDesign } from "./submit-card-design.ts";
import { updateSettings } from "./update-settings.ts";
import { viewNotifications } from "./view-notifications.ts";
import { viewProgram } from "./view-program.ts";
import { viewSettings } from "./view-settings.ts";
import { viewTicket } from "./view-ticket.ts";

export const handler = apiHandler(accountRoutes, {
  "GET /account/programs": listPrograms,
  "POST /account/programs": createProgram,
  "GET /account/programs/{programId}": viewProgram,
  "GET /account/programs/{programId}/settings": viewSettings,
  "PUT /account/programs/{programId}/settings": updateSettings,
  "GET /account/programs/{programId}/card-designs": listCardDesigns,
  "POST /account/programs/{programId}/card-designs": submitCardDesign,
  "PUT /account/programs/{programId}/card-designs/{cardType}": resubmitCardDesign,
  "GET /account/programs/{programId}/api-users": listProgramApiUsers,
  "POST /account/programs/{programId}/api-users": createProgramApiUser,
  "POST /account/programs/{programId}/api-users/{apiUserId}/rotate": rotateProgramApiUser,
  "DELETE /account/programs/{programId}/api-users/{apiUserId}": revokeProgramApiUser,
  "GET /account/api-users": listTenantApiUsers,
  "POST /account/api-users": createTenantApiUser,
  "POST /account/api-users/{apiUserId}/rotate": rotateTenantApiUser,
  "DELETE /account/api-users/{apiUserId}": revokeTenantApiUser,
  "GET /account/ip-allowlist": listAllowedIps,
  "POST /account/ip-allowlist": allowIp,
  "DELETE /account/ip-allowlist/{entryId}": removeIp,
  "GET /account/notification-settings": viewNotifications,
  "PUT /account/notification-settings": setNotifications,
  "GET /account/tickets": listTickets,
  "POST /account/tickets": raiseTicket,
  "GET /account/tickets/{ticketId}": viewTicket,
  "POST /account/tickets/{ticketId}/comments": commentOnTicket,
  "POST /account/tickets/{ticketId}/reopen": reopenTicket,
  "GET /account/audit-log": listAuditLog,
});
