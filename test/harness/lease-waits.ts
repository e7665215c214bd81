import { afterEach, beforeEach, vi } from "vitest";
import { inForceMs } from "../../shared/controls/commit-control.ts";

/** How often an answer waited for the leases on the Program's controls. */
export interface LeaseWaits {
  readonly count: number;
}

/**
 * Each test's waits for leases take no time: the clock moves on by as much, so the leases end.
 * Other timers run as always.
 */
export function skipLeaseWaits(): LeaseWaits {
  let count = 0;
  beforeEach(() => {
    count = 0;
    const real = globalThis.setTimeout;
    vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, delayMs?: number) => {
      if (delayMs !== inForceMs) return real(run, delayMs);
      count += 1;
      // By default this clock moves every 20 ms: two operations in a row could have the same time.
      const moving = { shouldAdvanceTime: true, advanceTimeDelta: 1 };
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + inForceMs, ...moving });
      return real(run, 0);
    }) as typeof setTimeout);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
  return {
    get count() {
      return count;
    },
  };
}
