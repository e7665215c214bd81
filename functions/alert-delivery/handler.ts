import { deferredHandler } from "../../shared/deferred-handler.ts";

export const handler = deferredHandler(async () => (await import("./consume-alerts.ts")).consumeAlerts);
