import * as z from "zod";
import type { OutboxEvent } from "../../shared/contract/outbox.ts";
import { compareWebhooks } from "../../shared/notifications/delivery/compare-webhooks.ts";
import type { QueuedMessage } from "../../shared/notifications/delivery/fan-out.ts";
import { monotonicMs, now } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { reconcile } from "../../shared/settlements/reconcile.ts";
import { reports, storeStep, tallyOf } from "../../shared/settlements/report.ts";

const Step = z.object({ date: z.string(), runId: z.string(), step: z.int().default(0) });

/** The rest of an invocation is for the page under way. */
const maximumWorkMs = 8_000;

/**
 * Takes one step of a day's report, and makes a message for the rest. A repeated message whose step
 * was taken only makes that message again.
 */
export async function reportSettlement(event: OutboxEvent, workMs = maximumWorkMs): Promise<QueuedMessage[]> {
  const { programId } = event;
  const { date, runId, step } = Step.parse(event.detail);
  const report = await reports.at(programId, date).get();
  if (report?.runId !== runId || report.isDone || report.step > step + 1 || report.step < step) return [];
  const detail = { date, runId, step: step + 1 };
  const rest = [
    { queueUrl: environment.webhookQueueUrl, message: { body: { detail: { ...event, detail } } } },
  ];
  if (report.step === step + 1) return rest;
  const tally = tallyOf(report);
  const { currency } = report;
  const day = { programId, date, currency, start: new Date(report.start), end: new Date(report.end) };
  await reconcile(day, tally, compareWebhooks, monotonicMs() + workMs);
  const isStored = await storeStep(report, tally, now());
  return isStored && tally.phase !== "done" ? rest : [];
}
