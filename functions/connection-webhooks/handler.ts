import { deferredHandler } from "../../shared/platform/deferred-handler.ts";

/** The gateway authenticates nobody here: `receive` verifies the sender's signature. */
export const handler = deferredHandler(async () => (await import("./receive.ts")).receive);
