import { deferredHandler } from "../../shared/platform/deferred-handler.ts";

/** Not authenticated by the gateway: `receive` verifies the sender's signature. */
export const handler = deferredHandler(async () => (await import("./receive.ts")).receive);
