import * as z from "zod";
import type { OutboxEvent } from "../contract/outbox.ts";
import { monotonicMs, now } from "../platform/clock.ts";
import { type CompareWebhooks, reconcile } from "./reconcile.ts";
import { reports, storeStep, unpackTally } from "./report.ts";

const Step = z.object({ date: z.string(), runId: z.string(), step: z.int().default(0) });
type Step = z.output<typeof Step>;

/** The rest of an invocation is for the page under way. */
const maximumWorkMs = 8_000;

/**
 * Takes one step of a day's report, and returns the next one. A repeated message whose step was
 * taken only returns that.
 */
export async function reportSettlement(
  event: OutboxEvent,
  compareWebhooks: CompareWebhooks,
  workMs = maximumWorkMs,
): Promise<Step | undefined> {
  const { programId } = event;
  const { date, runId, step } = Step.parse(event.detail);
  const report = await reports.at(programId, date).get();
  if (report?.runId !== runId || report.isDone || report.step > step + 1 || report.step < step)
    return undefined;
  const next = { date, runId, step: step + 1 };
  if (report.step === step + 1) return next;
  const tally = unpackTally(report);
  const { currency } = report;
  const day = { programId, date, currency, start: new Date(report.start), end: new Date(report.end) };
  await reconcile(day, tally, compareWebhooks, monotonicMs() + workMs);
  const isStored = await storeStep(report, tally, now());
  return isStored && tally.phase !== "done" ? next : undefined;
}
