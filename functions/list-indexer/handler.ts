import { deferredHandler } from "../../shared/deferred-handler.ts";

export const handler = deferredHandler(async () => (await import("./take-in-changes.ts")).takeInChanges);
