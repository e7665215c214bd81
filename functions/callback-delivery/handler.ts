import type { SQSEvent } from "aws-lambda";
import { deferredHandler } from "../../shared/platform/deferred-handler.ts";

/** A healthy endpoint gets everything at once, and each other one when it is its turn. */
export const handler = deferredHandler(async () => {
  const [{ consumeCallbacks }, { sendInTurn }] = await Promise.all([
    import("./consume-callbacks.ts"),
    import("../../shared/notifications/delivery/turns.ts"),
  ]);
  return (event: SQSEvent) => consumeCallbacks(event, sendInTurn);
});
