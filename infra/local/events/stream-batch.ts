import type { InvokeResult } from "../interfaces.ts";
import { itemFailures } from "./invoke.ts";
import type { SourceProperties } from "./source-properties.ts";

/** A stream record in Lambda's form, with its sequence number and time. */
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
  backOff(failures: number): Promise<void>;
  giveUp(given: GivenUp): Promise<void>;
  /** Marks everything up to this record as done. */
  advance(record: StreamRecord): void;
  stopping(): boolean;
}

/**
 * Delivers records in order, like Lambda: nothing overtakes a failing batch. Retries from the first
 * failed item, halves the batch if configured, and gives up by attempts or age.
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
      // Halving does not count as an attempt.
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

/** Returns how many records, from the first on, are done. */
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
