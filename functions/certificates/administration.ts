import { commandHandler } from "../../shared/tenancy/administration/command-handler.ts";

const changes = () => import("./authority-changes.ts");

/** Platform administration of the environment's CAs. */
export const administration = commandHandler(
  async () => (await import("../../shared/contract/authority.ts")).authorityCommands,
  {
    "issue-certificate": async () => (await import("./issue.ts")).issueForTenant,
    "list-authorities": async () => (await changes()).listAuthorities,
    "trust-authority": async () => (await changes()).trustAuthority,
    "issue-with-authority": async () => (await changes()).issueWithAuthority,
    "remove-authority": async () => (await changes()).removeAuthority,
    "view-truststore": async () => (await changes()).viewTruststore,
  },
);
