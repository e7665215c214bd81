import { getEndpoint } from "../../shared/delivery/endpoint.ts";
import { notificationsIn, notificationsSince } from "../../shared/delivery/notification-page.ts";
import { replayPuts, toReplayView } from "../../shared/delivery/replay.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { newId } from "../../shared/platform/id.ts";
import { outboxPut } from "../../shared/platform/outbox/outbox-put.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import type { WebhookOperations } from "./operations.ts";

/**
 * Sends every notification again that was made since a time and before this request, to the endpoint that is named or to all that want its
 * kind. They go out one after the other after this answer, which counts them.
 *
 * @throws ApiError NOT_FOUND for the endpoint; REPLAY_IN_PROGRESS
 */
export const redeliverSince: WebhookOperations["POST /webhooks/events/redeliver"] = async ({
  scope: { programId },
  body: { since, webhookId },
}) => {
  if (webhookId !== undefined) await getEndpoint(programId, webhookId);
  const at = now();
  // Settled here: a span that moved on while the replay runs would move its offsets.
  const span = { since: new Date(Math.max(Date.parse(since), notificationsSince().getTime())), until: at };
  const { total } = await notificationsIn(programId, span, { offset: 0, limit: 0 });
  const replayId = newId("replay");
  const { replay, writes } = replayPuts({ programId, replayId, since, total }, at);
  const detail = { replayId, since: timestamp(span.since), until: timestamp(at), webhookId };
  const outcome = await transact([...writes, outboxPut(programId, "notifications.replayed", detail, at)]);
  if (!outcome.committed) throw new ApiError("REPLAY_IN_PROGRESS");
  return toReplayView(replay, at);
};
