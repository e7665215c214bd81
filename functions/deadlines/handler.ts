import { deferredHandler } from "../../shared/deferred-handler.ts";

export const handler = deferredHandler(async () => (await import("./run-due.ts")).runDue);
