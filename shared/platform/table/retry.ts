import { AsyncLocalStorage } from "node:async_hooks";
import { monotonicMs, pause } from "../clock.ts";
import { randomInteger } from "../id.ts";
import { logMeasured } from "../metrics.ts";
import { withinBudget } from "../time-budget.ts";

/** Another write interfered: the attempt can be repeated. */
export class Conflict {
  readonly names: readonly string[];

  constructor(...names: string[]) {
    this.names = names;
  }
}

/** The table is too slow for its load: every repetition backs off. */
export class Throttled extends Conflict {}

/** Conflicts lasted until the time was up. Nothing was written. */
export class ContendedError extends Error {
  override readonly name = "ContendedError";
  readonly names: readonly string[];

  constructor(names: readonly string[]) {
    super(`Other writes kept interfering with ${names.join(", ")}.`);
    this.names = names;
  }
}

const firstDelayMs = 10;
const maximumDelayMs = 500;

/** The milliseconds before the next attempt, after so many conflicts. */
export type Delay = (conflicts: number) => number;

/** Others wait for the write: a transaction holds an item for some ten milliseconds. */
export const soon: Delay = (conflicts) => randomInteger(1, Math.min(40, 4 * 2 ** conflicts));

const isOptional = new AsyncLocalStorage<true>();

/** The caller can do without these writes: giving them up is not counted. */
export function optionally<T>(work: () => T): T {
  return isOptional.run(true, work);
}

/**
 * Repeats an attempt until it has no conflict, with full jitter. Nested retries share one time
 * budget.
 * @throws ContendedError when the time is up
 */
export async function retry<T>(attempt: () => Promise<T | Conflict>, delay: Delay = jitter): Promise<T> {
  const { result, conflicts } = await repeat(attempt, { delay });
  if (result instanceof Conflict) throw giveUp(result, conflicts.length);
  const last = conflicts.at(-1);
  if (last) measureConflicts(last.names, conflicts.length, false);
  return result;
}

/**
 * As `retry`, for a decision made anew from failed conditions. The first repetition is immediate
 * and repetitions are not measured: a decision without a read is often wrong.
 * @throws ContendedError when the time is up
 */
export async function retryDecision<T>(attempt: () => Promise<T | Conflict>): Promise<T> {
  const { result, conflicts } = await repeat(attempt, { firstAtOnce: true });
  if (result instanceof Conflict) throw giveUp(result, conflicts.length);
  return result;
}

/** Returns the first result without a conflict, else the last conflict; and all conflicts met. */
export async function repeat<T>(
  attempt: () => Promise<T | Conflict>,
  { firstAtOnce = false, delay = jitter }: { firstAtOnce?: boolean; delay?: Delay } = {},
): Promise<{ readonly result: T | Conflict; readonly conflicts: readonly Conflict[] }> {
  return withinBudget(async (endsAtMs) => {
    const conflicts: Conflict[] = [];
    for (;;) {
      const result = await attempt();
      if (!(result instanceof Conflict)) return { result, conflicts };
      conflicts.push(result);
      // A decline follows from failed conditions: it is decided even if the time is up.
      if (firstAtOnce && conflicts.length === 1) continue;
      const delayMs = (result instanceof Throttled ? jitter : delay)(conflicts.length);
      if (monotonicMs() + delayMs >= endsAtMs) return { result, conflicts };
      await pause(delayMs);
    }
  });
}

/** Up to 20 ms after the first conflict, up to half a second after many. */
export function jitter(conflicts: number): number {
  return randomInteger(0, Math.min(maximumDelayMs, firstDelayMs * 2 ** conflicts));
}

function giveUp({ names }: Conflict, conflicts: number): ContendedError {
  measureConflicts(names, conflicts, !isOptional.getStore());
  return new ContendedError(names);
}

function measureConflicts(actions: readonly string[], conflicts: number, givenUp: boolean): void {
  logMeasured("The write was contended.", { actions, givenUp }, () => ({
    WriteConflicts: conflicts,
    ...(givenUp && { WritesGivenUp: 1 }),
  }));
}
