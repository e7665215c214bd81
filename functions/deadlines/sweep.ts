import type { Context } from "aws-lambda";
import { now } from "../../shared/platform/clock.ts";
import type { DeadlinePriority, DueDeadline } from "../../shared/platform/deadlines.ts";
import { dueDeadlines, nextDueAt } from "../../shared/platform/deadlines.ts";
import { log } from "../../shared/platform/log.ts";
import { logMeasured } from "../../shared/platform/metrics.ts";
import { executeDeadline } from "./execute-deadline.ts";

const concurrency = 16;
/** Non-urgent deadlines executed between two checks for urgent ones. */
const batchSize = 200;

/** Reserved for running deadlines when the sweep stops starting more. */
const reservedMs = 10_000;

/** Runs every minute. Returns when the next deadline is due, for a clock moved by hand. */
export async function runDue(_event: unknown, context: Context): Promise<{ nextDueAt: string | null }> {
  await sweep(() => context.getRemainingTimeInMillis() > reservedMs);
  return { nextDueAt: await nextDueAt() };
}

interface Queue {
  readonly oldest: Date | undefined;
  readonly rows: AsyncGenerator<DueDeadline, void>;
}

/** Executes urgent deadlines first, and again between batches of the others. */
export async function sweep(mayContinue: () => boolean): Promise<void> {
  const at = now();
  const [urgent, normal, bulk] = await Promise.all([
    openQueue("urgent", at),
    openQueue("normal", at),
    openQueue("bulk", at),
  ]);
  logMeasured("Deadlines are swept.", {}, () => ({
    OldestDueDeadlineSeconds: oldestSeconds([urgent, normal, bulk], at),
    OldestUrgentDeadlineSeconds: oldestSeconds([urgent], at),
  }));

  const tally = { done: 0, failed: 0 };
  const tried = new Set<string>();
  const executeOnce = async (deadline: DueDeadline) => {
    // The index may still show executed deadlines, and those that could not be postponed.
    const key = `${deadline.ownerId} ${deadline.deadlineId} ${deadline.dueAt.getTime()}`;
    if (tried.has(key)) return;
    tried.add(key);
    tally[(await executeDeadline(deadline)) ? "done" : "failed"] += 1;
  };
  const take = (rows: Queue["rows"], most: number) => executeSome(rows, most, mayContinue, executeOnce);

  await take(urgent.rows, Number.POSITIVE_INFINITY);
  let waiting = [normal.rows, bulk.rows];
  while (waiting.length > 0 && mayContinue()) {
    const left: typeof waiting = [];
    for (const rows of waiting) {
      if (await take(rows, batchSize)) left.push(rows);
      if (left.length > 0) await take(dueDeadlines("urgent", now()), Number.POSITIVE_INFINITY);
    }
    waiting = left;
  }
  if (tally.done + tally.failed > 0) log.info("Deadlines swept.", tally);
}

/** Executes the next rows concurrently. Returns whether there may be more. */
async function executeSome(
  rows: Queue["rows"],
  most: number,
  mayContinue: () => boolean,
  execute: (deadline: DueDeadline) => Promise<void>,
): Promise<boolean> {
  let left = most;
  let isExhausted = false;
  const work = async () => {
    while (left > 0 && !isExhausted && mayContinue()) {
      left -= 1;
      const { value } = await rows.next();
      if (value) await execute(value);
      else isExhausted = true;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return !isExhausted;
}

async function openQueue(priority: DeadlinePriority, at: Date): Promise<Queue> {
  const rows = dueDeadlines(priority, at);
  const next = await rows.next();
  const first = next.done ? undefined : next.value;
  return { oldest: first?.dueAt, rows: withFirst(first, rows) };
}

async function* withFirst(first: DueDeadline | undefined, rows: Queue["rows"]): Queue["rows"] {
  if (!first) return;
  yield first;
  yield* rows;
}

function oldestSeconds(queues: readonly Queue[], at: Date): number {
  const ages = queues.flatMap(({ oldest }) => (oldest ? at.getTime() - oldest.getTime() : []));
  return Math.max(0, ...ages) / 1000;
}
