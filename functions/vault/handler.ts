import { deferredHandler } from "../../shared/platform/deferred-handler.ts";

/** Only IAM identities invoke it, with `{command, input}` of shared/contract/vault.ts. */
export const handler = deferredHandler(async () => (await import("./commands.ts")).carryOut);
