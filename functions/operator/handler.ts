import { commandHandler } from "../../shared/administration/command-handler.ts";

/** Platform administration, but for what the CAs' keys are needed for: functions/certificates. */
export const handler = commandHandler(
  async () => (await import("../../shared/contract/operator.ts")).operatorCommands,
  {
    "create-tenant": async () => (await import("./create-tenant.ts")).createTenant,
    "create-program": async () => (await import("./create-program.ts")).createProgram,
    "set-rate-limits": async () => (await import("./set-rate-limits.ts")).setRateLimits,
    "record-discard": async () => (await import("./record-discard.ts")).recordDiscard,
    "create-api-key": async () => (await import("./create-api-key.ts")).createApiKey,
    "revoke-api-key": async () => (await import("./revoke-api-key.ts")).revokeApiKey,
    "register-certificate": async () => (await import("./register-certificate.ts")).registerCertificate,
    "revoke-certificate": async () => (await import("./revoke-certificate.ts")).revokeCertificate,
    "allow-ip": async () => (await import("./allow-ip.ts")).allowIp,
    "set-notifications": async () => (await import("./set-notifications.ts")).setNotifications,
    "list-designs": async () => (await import("./review-design.ts")).listDesigns,
    "approve-design": async () => (await import("./review-design.ts")).approveDesign,
    "reject-design": async () => (await import("./review-design.ts")).rejectDesign,
    "list-issuances": async () => (await import("./decide-issuance.ts")).listIssuances,
    "decide-issuance": async () => (await import("./decide-issuance.ts")).decideIssuance,
    "refuse-cardholder": async () => (await import("./refuse-cardholder.ts")).refuseCardholder,
    "list-tickets": async () => (await import("./tickets.ts")).listTickets,
    "view-ticket": async () => (await import("./tickets.ts")).viewTicket,
    "answer-ticket": async () => (await import("./tickets.ts")).answerTicket,
    "resolve-ticket": async () => (await import("./tickets.ts")).resolveTicket,
  },
);
