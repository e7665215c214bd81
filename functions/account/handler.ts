import { apiHandler, endpoints } from "../../shared/platform/http/api-handler.ts";

export const handler = apiHandler(
  endpoints(async () => (await import("../../shared/contract/account-programs.ts")).accountProgramRoutes, {
    "GET /account/programs": async () => (await import("./list-programs.ts")).listPrograms,
    "POST /account/programs": async () => (await import("./create-program.ts")).createProgram,
    "GET /account/programs/{programId}": async () => (await import("./view-program.ts")).viewProgram,
    "GET /account/programs/{programId}/settings": async () =>
      (await import("./view-settings.ts")).viewSettings,
    "PUT /account/programs/{programId}/settings": async () =>
      (await import("./update-settings.ts")).updateSettings,
    "GET /account/programs/{programId}/card-designs": async () =>
      (await import("./list-card-designs.ts")).listCardDesigns,
    "POST /account/programs/{programId}/card-designs": async () =>
      (await import("./submit-card-design.ts")).submitCardDesign,
    "PUT /account/programs/{programId}/card-designs/{cardType}": async () =>
      (await import("./resubmit-card-design.ts")).resubmitCardDesign,
  }),
  endpoints(async () => (await import("../../shared/contract/account-access.ts")).accountAccessRoutes, {
    "GET /account/programs/{programId}/api-users": async () =>
      (await import("./list-api-users.ts")).listProgramApiUsers,
    "POST /account/programs/{programId}/api-users": async () =>
      (await import("./create-program-api-user.ts")).createProgramApiUser,
    "POST /account/programs/{programId}/api-users/{apiUserId}/rotate": async () =>
      (await import("./rotate-api-user.ts")).rotateProgramApiUser,
    "DELETE /account/programs/{programId}/api-users/{apiUserId}": async () =>
      (await import("./revoke-api-user.ts")).revokeProgramApiUser,
    "GET /account/api-users": async () => (await import("./list-api-users.ts")).listTenantApiUsers,
    "POST /account/api-users": async () => (await import("./create-tenant-api-user.ts")).createTenantApiUser,
    "POST /account/api-users/{apiUserId}/rotate": async () =>
      (await import("./rotate-api-user.ts")).rotateTenantApiUser,
    "DELETE /account/api-users/{apiUserId}": async () =>
      (await import("./revoke-api-user.ts")).revokeTenantApiUser,
    "GET /account/ip-allowlist": async () => (await import("./list-allowed-ips.ts")).listAllowedIps,
    "POST /account/ip-allowlist": async () => (await import("./allow-ip.ts")).allowIp,
    "DELETE /account/ip-allowlist/{entryId}": async () => (await import("./remove-ip.ts")).removeIp,
    "GET /account/audit-log": async () => (await import("./list-audit-log.ts")).listAuditLog,
  }),
  endpoints(
    async () => (await import("../../shared/contract/account-notifications.ts")).accountNotificationRoutes,
    {
      "GET /account/notification-settings": async () =>
        (await import("./view-notifications.ts")).viewNotifications,
      "PUT /account/notification-settings": async () =>
        (await import("./set-notifications.ts")).setNotifications,
    },
  ),
  endpoints(async () => (await import("../../shared/contract/account-tickets.ts")).accountTicketRoutes, {
    "GET /account/tickets": async () => (await import("./tickets.ts")).listTickets,
    "POST /account/tickets": async () => (await import("./tickets.ts")).raiseTicket,
    "GET /account/tickets/{ticketId}": async () => (await import("./tickets.ts")).viewTicket,
    "POST /account/tickets/{ticketId}/comments": async () => (await import("./tickets.ts")).commentOnTicket,
    "POST /account/tickets/{ticketId}/reopen": async () => (await import("./tickets.ts")).reopenTicket,
  }),
);
