import { EventBridgeClient } from "@aws-sdk/client-eventbridge";

/** The one EventBridge client. Four attempts for throttling, timeouts and 5xx. */
export const eventBus = new EventBridgeClient({
  maxAttempts: 4,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000 },
});
