/** The one place where the platform asks for the time. */
export function now(): Date {
  return new Date();
}

/** Milliseconds since some moment, for durations: never set back, whatever happens to the clock. */
export function monotonicMs(): number {
  return performance.now();
}

/** ISO 8601, UTC, milliseconds: the form of every time that is stored or answered. */
export function timestamp(at: Date = now()): string {
  return at.toISOString();
}

/** Unix seconds, rounded up, as DynamoDB's time to live wants them. */
export function unixSeconds(at: Date): number {
  return Math.ceil(at.getTime() / 1000);
}

/** Resolves after `delayMs` milliseconds: only for the jittered waits between retries, and for what has to settle. */
export function pause(delayMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, delayMs));
}
