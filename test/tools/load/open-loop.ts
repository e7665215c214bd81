import type { RequestKind, Sample } from "./kinds.ts";
import type { Arrival } from "./schedule.ts";

/** Milliseconds since the load began. Another one in tests. */
export interface LoadClock {
  now(): number;
  until(atMs: number): Promise<void>;
}

export interface OpenLoop {
  readonly arrivals: readonly Arrival[];
  readonly clock: LoadClock;
  /** Resolves when the answer has arrived; rejects if it is an error. */
  send(kind: RequestKind): Promise<void>;
  onSample(sample: Sample): void;
  onInFlight?(count: number): void;
  /** More unanswered requests than this end the schedule: the platform does not keep up. */
  readonly maximumInFlight: number;
}

export interface LoopResult {
  readonly sent: number;
  /** Whether the schedule ended early. */
  readonly isOverrun: boolean;
  /** How late the worst request left: the generator's own fault. Latencies include it. */
  readonly worstLagMs: number;
}

/**
 * Sends at scheduled times, whether or not earlier requests are answered, and measures from those
 * times. So a stalled platform delays every request that was due meanwhile, and each one counts.
 */
export async function runOpenLoop(loop: OpenLoop): Promise<LoopResult> {
  const { arrivals, clock, send, onSample, onInFlight = () => {}, maximumInFlight } = loop;
  const startMs = clock.now();
  const running = new Set<Promise<void>>();
  let worstLagMs = 0;
  let sent = 0;
  for (const { atMs, kind } of arrivals) {
    const intendedMs = startMs + atMs;
    if (clock.now() < intendedMs) await clock.until(intendedMs);
    if (running.size >= maximumInFlight) break;
    worstLagMs = Math.max(worstLagMs, clock.now() - intendedMs);
    sent += 1;
    const sample = (error?: string) =>
      onSample({ kind, intendedMs, latencyMs: clock.now() - intendedMs, error });
    const request = send(kind)
      .then(
        () => sample(),
        (error: unknown) => sample(error instanceof Error ? error.message : String(error)),
      )
      .finally(() => {
        running.delete(request);
        onInFlight(running.size);
      });
    running.add(request);
    onInFlight(running.size);
  }
  await Promise.all(running);
  return { sent, isOverrun: sent < arrivals.length, worstLagMs };
}

export function realClock(): LoadClock {
  const startedMs = performance.now();
  const now = () => performance.now() - startedMs;
  return {
    now,
    until: (atMs) => new Promise((resolve) => setTimeout(resolve, Math.max(0, atMs - now()))),
  };
}
