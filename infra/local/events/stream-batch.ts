import type { InvokeResult } from "../interfaces.ts";
import { itemFailures } from "./item-failures.ts";

/** A stream record as the function gets it, and what the delivery goes by. */
export interface StreamRecord {
  sequenceNumber: string;
  /** Virtual milliseconds. */
  createdAt: number;
  event: Record<string, unknown>;
}

export interface BatchRules {
  reportsItemFailures: boolean;
  bisects: boolean;
  maximumRetries: number;
  maximumAgeMs: number;
}

export interface GivenUp {
  condition: "RetryAttemptsExhausted" | "RecordAgeExceeded";
  records: StreamRecord[];
  invocations: number;
  result: InvokeResult | undefined;
}

export interface BatchSurroundings {
  now(): number;
  invoke(records: StreamRecord[]): Promise<InvokeResult>;
  /** Waits before the next attempt. */
  backOff(failures: number): Promise<void>;
  giveUp(given: GivenUp): Promise<void>;
  /** Everything up to this record is dealt with. */
  advance(record: StreamRecord): void;
  stopping(): boolean;
}

/**
 * Delivers records in their order, as Lambda does from a shard: nothing overtakes a failing batch. It is tried again from
 * the first failed item, halved where the mapping says so, and given up by its attempts or its age.
 */
export async function deliverBatch(
  records: StreamRecord[],
  rules: BatchRules,
  surroundings: BatchSurroundings,
  failures = 0,
): Promise<void> {
  let batch = records;
  let failed = failures;
  let result: InvokeResult | undefined;
  while (batch.length > 0 && !surroundings.stopping()) {
    const oldest = surroundings.now() - rules.maximumAgeMs;
    const tooOld = batch.filter((record) => record.createdAt < oldest);
    if (tooOld.length > 0) {
      await surroundings.giveUp({
        condition: "RecordAgeExceeded",
        records: tooOld,
        invocations: failed,
        result,
      });
      batch = batch.filter((record) => record.createdAt >= oldest);
      advanceTo(tooOld, surroundings);
      continue;
    }
    result = await surroundings.invoke(batch);
    const handled = handledInOrder(result, rules, batch);
    advanceTo(batch.slice(0, handled), surroundings);
    batch = batch.slice(handled);
    if (handled > 0 || batch.length === 0) continue;
    if (rules.bisects && batch.length > 1) {
      // Halving takes no attempt away.
      const half = Math.ceil(batch.length / 2);
      await deliverBatch(batch.slice(0, half), rules, surroundings, failed);
      batch = batch.slice(half);
      continue;
    }
    failed += 1;
    if (failed > rules.maximumRetries) {
      await surroundings.giveUp({
        condition: "RetryAttemptsExhausted",
        records: batch,
        invocations: failed,
        result,
      });
      advanceTo(batch, surroundings);
      return;
    }
    await surroundings.backOff(failed);
  }
}

/** How many records, from the first on, need not come again. */
function handledInOrder(result: InvokeResult, rules: BatchRules, batch: StreamRecord[]): number {
  const ids = batch.map((record) => record.sequenceNumber);
  const failures = itemFailures(result, rules.reportsItemFailures, ids);
  if (failures === "all") return 0;
  const first = ids.findIndex((id) => failures.has(id));
  return first === -1 ? batch.length : first;
}

function advanceTo(records: StreamRecord[], surroundings: BatchSurroundings): void {
  const last = records.at(-1);
  if (last !== undefined) surroundings.advance(last);
}
