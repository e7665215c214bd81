import { commandHandler } from "../../shared/tenancy/administration/command-handler.ts";

/** Platform administration of the environment's CAs. */
export const administration = commandHandler(
  async () => (await import("../../shared/contract/authority.ts")).authorityCommands,
  {
    "issue-certificate": async () => (await import("./issue.ts")).issueForTenant,
    "list-authorities": async () => (await import("./authority-changes.ts")).listAuthorities,
    "trust-authority": async () => (await import("./authority-changes.ts")).trustAuthority,
    "issue-with-authority": async () => (await import("./authority-changes.ts")).issueWithAuthority,
    "remove-authority": async () => (await import("./authority-changes.ts")).removeAuthority,
    "view-truststore": async () => (await import("./authority-changes.ts")).viewTruststore,
  },
);
