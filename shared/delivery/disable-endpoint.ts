import type { WebhookDisabledReason } from "../contract/webhook-disabled.ts";
import { timestamp } from "../platform/clock.ts";
import { environment } from "../platform/environment.ts";
import { outboxPut } from "../platform/outbox/outbox-put.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { webhookKey } from "../platform/table/webhook-keys.ts";
import { type EndpointHealth, failuresUnchanged } from "./endpoint-health.ts";

interface Disabling {
  readonly programId: string;
  readonly webhookId: string;
  readonly url: string;
  readonly reason: WebhookDisabledReason;
  /** Required to be still the same, where the endpoint is switched off for its failures. */
  readonly health?: EndpointHealth | undefined;
}

/** Switches an endpoint off and tells its Tenant, once. Refused where the endpoint is deleted, off or changed. */
export function disablingWrites(
  { programId, webhookId, url, reason, health }: Disabling,
  at: Date,
): WriteAction[] {
  const disabledAt = timestamp(at);
  return [
    {
      name: "endpoint",
      Update: {
        TableName: environment.issuingTable,
        Key: webhookKey.endpoint(programId, webhookId),
        UpdateExpression: "SET active = :off, disabledReason = :reason, disabledAt = :at",
        ConditionExpression: "active = :on AND #url = :url",
        ExpressionAttributeNames: { "#url": "url" },
        ExpressionAttributeValues: {
          ":off": false,
          ":on": true,
          ":reason": reason,
          ":at": disabledAt,
          ":url": url,
        },
      },
    },
    ...(health ? [failuresUnchanged(programId, webhookId, health)] : []),
    outboxPut(programId, "webhook.disabled", { webhookId, url, reason, disabledAt }, at),
  ];
}
