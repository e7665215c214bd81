import { expect } from "vitest";
import { handler as takeSteps } from "../../functions/background-jobs/handler.ts";
import type { OutboxEvent } from "../../shared/contract/outbox.ts";
import { batchOf } from "./given-webhooks.ts";
import { startQueueRecorder } from "./queue-recorder.ts";

/** Has the function do a job to its end, by messages of its queue. Returns how many it took. */
export async function doJob(event: OutboxEvent): Promise<number> {
  const queue = await startQueueRecorder();
  let steps = 0;
  for (let body: unknown = { detail: event }; body; body = queue.take("jobs")[0]?.body) {
    expect(await takeSteps(batchOf("jobs", [body]))).toEqual({ batchItemFailures: [] });
    steps += 1;
  }
  queue.stop();
  return steps;
}

/** The message of a job's next step, if there is one. */
export function nextMessage(event: OutboxEvent, detail: OutboxEvent["detail"] | undefined): OutboxEvent[] {
  return detail ? [{ ...event, detail }] : [];
}
