import { deferredHandler } from "../../shared/deferred-handler.ts";

export const handler = deferredHandler(async () => (await import("./authorize.ts")).authorize);
