import type { z } from "zod";
import { redeliveryPut } from "../../shared/changes/change.ts";
import type { DeliveryAttempt, DeliveryError } from "../../shared/contract/webhooks.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import { type Attempt, attempts } from "../../shared/notifications/delivery/attempt.ts";
import { endpoints } from "../../shared/notifications/delivery/endpoint.ts";
import { replayPuts, replays, toReplayView } from "../../shared/notifications/delivery/replay.ts";
import {
  oldestKeptAt,
  readNotificationPage,
  readNotificationSpan,
} from "../../shared/notifications/notification-page.ts";
import { requireNotification } from "../../shared/notifications/stored-notification.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { newId } from "../../shared/platform/id.ts";
import { outboxPut } from "../../shared/platform/outbox/outbox-put.ts";
import { pick } from "../../shared/platform/pick.ts";
import { transact } from "../../shared/platform/table/transact.ts";

export const listEvents: Operations["GET /webhooks/events"] = async ({ scope, query }) => {
  const { items, total } = await readNotificationPage(scope.programId, query);
  return {
    items: items.map(({ createdAt, ...item }) => ({
      ...pick(item, "transIdSc", "eventType", "subjectId", "cardId", "bodySha256"),
      dateCreated: createdAt,
    })),
    total,
  };
};

export const listAttempts: Operations["GET /webhooks/events/{transIdSc}/attempts"] = async ({
  scope: { programId },
  path: { transIdSc },
  query,
}) => {
  const [page] = await Promise.all([
    listPage(
      {
        records: attempts.records(programId, transIdSc),
        filters: { endpointId: query.webhookId },
        view: (item) => toAttemptView(attempts.parse(item)),
      },
      query,
    ),
    requireNotification(programId, transIdSc),
  ]);
  return page;
};

function toAttemptView({ endpointId, createdAt, ...attempt }: Attempt): z.output<typeof DeliveryAttempt> {
  return {
    ...pick(attempt, "deliveryId", "attempt", "delivered", "responseStatus", "latencyMs", "bodySha256"),
    nextAttemptAt: attempt.nextAttemptAt,
    webhookId: endpointId as string,
    // Emails go to no endpoint.
    error: attempt.error as DeliveryError | undefined,
    dateCreated: createdAt,
  };
}

/**
 * Sends the same bytes to one endpoint or to all that subscribe to their type, at least once after
 * this answer.
 * @throws ApiError NOT_FOUND for the notification or the endpoint
 */
export const redeliverEvent: Operations["POST /webhooks/events/{transIdSc}/redeliver"] = async ({
  scope: { programId },
  path: { transIdSc },
  body: { webhookId },
}) => {
  const [{ eventType }] = await Promise.all([
    requireNotification(programId, transIdSc),
    webhookId === undefined ? undefined : endpoints.at(programId, webhookId).require("body.webhookId"),
  ]);
  await transact([redeliveryPut(programId, { notificationIds: [transIdSc], eventType, webhookId }, now())]);
  return { transIdSc };
};

/**
 * Redelivers all notifications from a time until this request, to one endpoint or to all that
 * subscribe to their type. The answer counts them; they are sent afterwards, in order.
 * @throws ApiError NOT_FOUND for the endpoint; REPLAY_IN_PROGRESS
 */
export const redeliverSince: Operations["POST /webhooks/events/redeliver"] = async ({
  scope: { programId },
  body: { since: given, webhookId },
}) => {
  const since = timestamp(new Date(given));
  if (webhookId !== undefined) await endpoints.at(programId, webhookId).require("body.webhookId");
  const at = now();
  // Fixed here: a span that moves during the replay would shift its offsets.
  const span = { since: new Date(Math.max(Date.parse(since), oldestKeptAt().getTime())), until: at };
  const { total } = await readNotificationSpan(programId, span, { offset: 0, limit: 0 });
  const replayId = newId("replay");
  const { replay, writes } = replayPuts({ programId, replayId, since, total }, at);
  const detail = { replayId, since: timestamp(span.since), until: timestamp(at), webhookId };
  const outcome = await transact([...writes, outboxPut(programId, "notifications.replayed", detail, at)]);
  if (!outcome.committed) throw new ApiError("REPLAY_IN_PROGRESS");
  return toReplayView(replay, at);
};

export const viewReplay: Operations["GET /webhooks/replays/{replayId}"] = async ({
  scope: { programId },
  path: { replayId },
}) => toReplayView(await replays.at(programId, replayId).require(), now());
