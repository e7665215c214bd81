import { apiHandler, endpoints } from "../../shared/platform/http/api-handler.ts";

export const handler = apiHandler(
  endpoints(async () => (await import("../../shared/contract/account-programs.ts")).accountProgramRoutes, {
    "GET /account/programs": async () => (await import("./programs.ts")).listPrograms,
    "POST /account/programs": async () => (await import("./programs.ts")).createProgram,
    "GET /account/programs/{programId}": async () => (await import("./programs.ts")).viewProgram,
    "GET /account/programs/{programId}/settings": async () => (await import("./programs.ts")).viewSettings,
    "PUT /account/programs/{programId}/settings": async () => (await import("./programs.ts")).updateSettings,
    "GET /account/programs/{programId}/card-designs": async () =>
      (await import("./card-designs.ts")).listCardDesigns,
    "POST /account/programs/{programId}/card-designs": async () =>
      (await import("./card-designs.ts")).submitCardDesign,
    "PUT /account/programs/{programId}/card-designs/{cardType}": async () =>
      (await import("./card-designs.ts")).resubmitCardDesign,
  }),
  endpoints(async () => (await import("../../shared/contract/account-access.ts")).accountAccessRoutes, {
    "GET /account/programs/{programId}/api-users": async () =>
      (await import("./api-users.ts")).listProgramApiUsers,
    "POST /account/programs/{programId}/api-users": async () =>
      (await import("./api-users.ts")).createProgramApiUser,
    "POST /account/programs/{programId}/api-users/{apiUserId}/rotate": async () =>
      (await import("./api-users.ts")).rotateProgramApiUser,
    "DELETE /account/programs/{programId}/api-users/{apiUserId}": async () =>
      (await import("./api-users.ts")).revokeProgramApiUser,
    "GET /account/api-users": async () => (await import("./api-users.ts")).listTenantApiUsers,
    "POST /account/api-users": async () => (await import("./api-users.ts")).createTenantApiUser,
    "POST /account/api-users/{apiUserId}/rotate": async () =>
      (await import("./api-users.ts")).rotateTenantApiUser,
    "DELETE /account/api-users/{apiUserId}": async () => (await import("./api-users.ts")).revokeTenantApiUser,
    "GET /account/ip-allowlist": async () => (await import("./allowlist.ts")).listAllowedIps,
    "POST /account/ip-allowlist": async () => (await import("./allowlist.ts")).allowIp,
    "DELETE /account/ip-allowlist/{entryId}": async () => (await import("./allowlist.ts")).removeIp,
    "GET /account/audit-log": async () => (await import("./list-audit-log.ts")).listAuditLog,
  }),
  endpoints(async () => (await import("../../shared/contract/alerts.ts")).accountNotificationRoutes, {
    "GET /account/notification-settings": async () => (await import("./notifications.ts")).viewNotifications,
    "PUT /account/notification-settings": async () => (await import("./notifications.ts")).setNotifications,
  }),
  endpoints(async () => (await import("../../shared/contract/account-tickets.ts")).accountTicketRoutes, {
    "GET /account/tickets": async () => (await import("./tickets.ts")).listTickets,
    "POST /account/tickets": async () => (await import("./tickets.ts")).raiseTicket,
    "GET /account/tickets/{ticketId}": async () => (await import("./tickets.ts")).viewTicket,
    "POST /account/tickets/{ticketId}/comments": async () => (await import("./tickets.ts")).commentOnTicket,
    "POST /account/tickets/{ticketId}/reopen": async () => (await import("./tickets.ts")).reopenTicket,
  }),
);
