import { apiHandler, routeGroup } from "../../shared/platform/http/api-handler.ts";

const programs = () => import("./programs.ts");
const cardDesigns = () => import("./card-designs.ts");
const connections = () => import("./connections.ts");
const apiUsers = () => import("./api-users.ts");
const allowlist = () => import("./allowlist.ts");
const notifications = () => import("./notifications.ts");
const tickets = () => import("./tickets.ts");

export const handler = apiHandler(
  routeGroup(async () => (await import("../../shared/contract/account-programs.ts")).accountProgramRoutes, {
    "GET /account/programs": async () => (await programs()).listPrograms,
    "POST /account/programs": async () => (await programs()).createProgram,
    "GET /account/programs/{programId}": async () => (await programs()).viewProgram,
    "GET /account/programs/{programId}/settings": async () => (await programs()).viewSettings,
    "PUT /account/programs/{programId}/settings": async () => (await programs()).updateSettings,
    "GET /account/programs/{programId}/card-designs": async () => (await cardDesigns()).listCardDesigns,
    "POST /account/programs/{programId}/card-designs": async () => (await cardDesigns()).submitCardDesign,
    "PUT /account/programs/{programId}/card-designs/{cardType}": async () =>
      (await cardDesigns()).resubmitCardDesign,
  }),
  routeGroup(async () => (await import("../../shared/contract/connections.ts")).connectionRoutes, {
    "GET /account/programs/{programId}/connections": async () => (await connections()).listConnections,
    "POST /account/programs/{programId}/connections": async () => (await connections()).createConnection,
    "DELETE /account/programs/{programId}/connections/{connectionId}": async () =>
      (await connections()).deleteConnection,
  }),
  routeGroup(async () => (await import("../../shared/contract/account-access.ts")).accountAccessRoutes, {
    "GET /account/programs/{programId}/api-users": async () => (await apiUsers()).listProgramApiUsers,
    "POST /account/programs/{programId}/api-users": async () => (await apiUsers()).createProgramApiUser,
    "PUT /account/programs/{programId}/api-users/{apiUserId}": async () => (await apiUsers()).updateApiUser,
    "POST /account/programs/{programId}/api-users/{apiUserId}/rotate": async () =>
      (await apiUsers()).rotateApiUser,
    "DELETE /account/programs/{programId}/api-users/{apiUserId}": async () =>
      (await apiUsers()).revokeApiUser,
    "GET /account/api-users": async () => (await apiUsers()).listTenantApiUsers,
    "POST /account/api-users": async () => (await apiUsers()).createTenantApiUser,
    "PUT /account/api-users/{apiUserId}": async () => (await apiUsers()).updateApiUser,
    "POST /account/api-users/{apiUserId}/rotate": async () => (await apiUsers()).rotateApiUser,
    "DELETE /account/api-users/{apiUserId}": async () => (await apiUsers()).revokeApiUser,
    "GET /account/ip-allowlist": async () => (await allowlist()).listAllowedIps,
    "POST /account/ip-allowlist": async () => (await allowlist()).allowIp,
    "DELETE /account/ip-allowlist/{entryId}": async () => (await allowlist()).removeIp,
    "GET /account/audit-log": async () => (await import("./list-audit-log.ts")).listAuditLog,
  }),
  routeGroup(async () => (await import("../../shared/contract/alerts.ts")).accountNotificationRoutes, {
    "GET /account/notification-settings": async () => (await notifications()).viewNotifications,
    "PUT /account/notification-settings": async () => (await notifications()).setNotifications,
  }),
  routeGroup(async () => (await import("../../shared/contract/account-tickets.ts")).accountTicketRoutes, {
    "GET /account/tickets": async () => (await tickets()).listTickets,
    "POST /account/tickets": async () => (await tickets()).raiseTicket,
    "GET /account/tickets/{ticketId}": async () => (await tickets()).viewTicket,
    "POST /account/tickets/{ticketId}/comments": async () => (await tickets()).commentOnTicket,
    "POST /account/tickets/{ticketId}/reopen": async () => (await tickets()).reopenTicket,
  }),
);
