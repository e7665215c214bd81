import { now, timestamp } from "../../shared/clock.ts";
import { outboxPut } from "../../shared/outbox/outbox-put.ts";
import { transact } from "../../shared/table/transact.ts";
import { getEndpoint } from "../../shared/webhook/endpoint.ts";
import { countNotifications } from "../../shared/webhook/notification-page.ts";
import type { WebhookOperations } from "./operations.ts";

/**
 * Sends every notification again that was made since a time and before this request, to the endpoint that is named or to all that want its
 * kind. They go out one after the other after this answer, which counts them.
 *
 * @throws ApiError NOT_FOUND for the endpoint
 */
export const redeliverSince: WebhookOperations["POST /webhooks/events/redeliver"] = async ({
  scope: { programId },
  body: { since, webhookId },
}) => {
  if (webhookId !== undefined) await getEndpoint(programId, webhookId);
  const at = now();
  const span = { since, until: timestamp(at) };
  const total = await countNotifications(programId, { since: new Date(since), until: at });
  await transact([outboxPut(programId, "notifications.replayed", { ...span, webhookId }, at)]);
  return { since, total };
};
