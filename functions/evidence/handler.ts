import { deferredHandler } from "../../shared/platform/deferred-handler.ts";

export const handler = deferredHandler(async () => (await import("./check-upload.ts")).consumeUploads);
