export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;

/** The platform reads the time only here. */
export function now(): Date {
  return new Date();
}

/** Milliseconds since some moment, for durations: never set back, whatever happens to the clock. */
export function monotonicMs(): number {
  return performance.now();
}

let last = { ms: Number.NaN, text: "" };

/** ISO 8601, UTC, milliseconds: the form of every stored and answered time. */
export function timestamp(at: Date = now()): string {
  const ms = at.getTime();
  // An event's writes have the same time a dozen times.
  if (ms !== last.ms) last = { ms, text: at.toISOString() };
  return last.text;
}

/** Unix seconds, rounded up: DynamoDB's time to live. */
export function unixSeconds(at: Date): number {
  return Math.ceil(at.getTime() / 1000);
}

export function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}

/** Undefined if the work takes longer. It goes on. */
export async function inTime<T>(limitMs: number, work: Promise<T>): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  // One that is left would keep all that the work had.
  const timer = setTimeout(resolve, limitMs, undefined);
  return Promise.race([work, promise]).finally(() => clearTimeout(timer));
}
