import type { InvokeResult } from "../interfaces.ts";
import { itemFailures } from "./invoke.ts";
import type { SourceProperties } from "./source-properties.ts";

/** A stream record as the function gets it, with its number and time. */
export interface StreamRecord {
  sequenceNumber: string;
  /** Virtual milliseconds. */
  createdAt: number;
  event: Record<string, unknown>;
}

type BatchRules = Pick<
  SourceProperties,
  "reportsItemFailures" | "bisects" | "maximumRetries" | "maximumAgeMs"
>;

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
  /** Everything up to this record is done. */
  advance(record: StreamRecord): void;
  stopping(): boolean;
}

/**
 * Delivers records in their order, as Lambda does from a shard: nothing overtakes a failing batch. It retries from the
 * first failed item, halves the batch where the mapping says so, and gives up by attempts or age.
 */
export async function deliverBatch(
  records: StreamRecord[],
  rules: BatchRules,
  surroundings: BatchSurroundings,
  failures = 0,
): Promise<void> {
  let batch = records;
  let invocations = failures;
  let result: InvokeResult | undefined;
  const giveUp = async (condition: GivenUp["condition"], given: StreamRecord[]) => {
    await surroundings.giveUp({ condition, records: given, invocations, result });
    advanceTo(given, surroundings);
  };
  while (batch.length > 0 && !surroundings.stopping()) {
    const oldest = surroundings.now() - rules.maximumAgeMs;
    const tooOld = batch.filter((record) => record.createdAt < oldest);
    if (tooOld.length > 0) {
      batch = batch.filter((record) => record.createdAt >= oldest);
      await giveUp("RecordAgeExceeded", tooOld);
      continue;
    }
    result = await surroundings.invoke(batch);
    const handled = handledInOrder(result, rules, batch);
    advanceTo(batch.slice(0, handled), surroundings);
    batch = batch.slice(handled);
    if (handled > 0 || batch.length === 0) continue;
    if (rules.bisects && batch.length > 1) {
      // Halving uses up no attempt.
      const half = Math.ceil(batch.length / 2);
      await deliverBatch(batch.slice(0, half), rules, surroundings, invocations);
      batch = batch.slice(half);
      continue;
    }
    invocations += 1;
    if (invocations > rules.maximumRetries) return giveUp("RetryAttemptsExhausted", batch);
    await surroundings.backOff(invocations);
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
