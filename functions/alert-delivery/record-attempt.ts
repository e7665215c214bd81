import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { type AlertMessage, ownerOf } from "../../shared/delivery/alert-event.ts";
import { AlertAttempt, attemptKey, retryDeadlineId } from "../../shared/delivery/alert-retry.ts";
import { isFarOff, isGone, keptSeconds } from "../../shared/delivery/next-attempt.ts";
import { retryDelayMs, urgentRetryDelayMs } from "../../shared/delivery/retry-schedule.ts";
import { isDelivered } from "../../shared/delivery/send-callback.ts";
import { now, timestamp, unixSeconds } from "../../shared/platform/clock.ts";
import { deadlinePut } from "../../shared/platform/deadlines/deadline.ts";
import { environment } from "../../shared/platform/environment.ts";
import { table } from "../../shared/platform/table/client.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import type { AlertOutcome, Subject } from "./subject.ts";

/** The attempt, where it was made already. */
export async function readAttempt(message: AlertMessage): Promise<AlertAttempt | undefined> {
  const { Item } = await table.send(
    new GetCommand({ TableName: environment.issuingTable, Key: attemptKey(message), ConsistentRead: true }),
  );
  return Item && AlertAttempt.parse(Item);
}

/** Records what came of an attempt, with the deadline of the next one where that is far off. Where a copy of the message was quicker, its record stands. */
export async function recordAttempt(
  message: AlertMessage,
  { bodySha256, until }: Subject,
  outcome: AlertOutcome,
): Promise<AlertAttempt> {
  const at = now();
  const failure = "failure" in outcome ? outcome.failure : undefined;
  const { status } = outcome;
  const delivered = isDelivered(outcome);
  const isOver = delivered || isGone({ status, failure });
  const delayMs = isOver ? undefined : delayAfter(message.attempt, at, until);
  const dueAt = delayMs === undefined ? undefined : new Date(at.getTime() + delayMs);
  const made: AlertAttempt = {
    attempt: message.attempt,
    delivered,
    responseStatus: status,
    error: failure,
    latencyMs: outcome.latencyMs,
    bodySha256,
    createdAt: timestamp(at),
    ...(dueAt && { nextAttemptAt: timestamp(dueAt) }),
  };
  const next = { ...message, attempt: message.attempt + 1 };
  const written = await transact([
    {
      name: "attempt",
      Put: {
        TableName: environment.issuingTable,
        Item: { ...attemptKey(message), ...made, expiresAtSeconds: unixSeconds(at) + keptSeconds },
        ConditionExpression: "attribute_not_exists(pk)",
      },
    },
    ...(dueAt && isFarOff(delayMs ?? 0)
      ? [
          deadlinePut({
            ownerId: ownerOf(message.detail),
            deadlineId: retryDeadlineId(next),
            kind: "retry_alert",
            dueAt,
          }),
        ]
      : []),
  ]);
  if (written.committed) return made;
  const first = written.refusals.get("attempt");
  if (!first) throw new Error(`The deadline ${retryDeadlineId(next)} stands already.`);
  return AlertAttempt.parse(first);
}

function delayAfter(attempt: number, at: Date, until: Date | undefined): number | undefined {
  return until ? urgentRetryDelayMs(attempt, at, until) : retryDelayMs(attempt);
}
