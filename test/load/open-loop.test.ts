import { describe, expect, it } from "vitest";
import { randomFrom } from "../harness/random.ts";
import { judge } from "../tools/load/judge.ts";
import { defaultLimits, type RequestKind, requestKinds, type Sample, shares } from "../tools/load/kinds.ts";
import { type LoadClock, runOpenLoop } from "../tools/load/open-loop.ts";
import { type Arrival, scheduleArrivals } from "../tools/load/schedule.ts";

/** Time that moves only when all wait for it. */
class SimulatedClock implements LoadClock {
  #nowMs = 0;
  readonly #waiting: { atMs: number; resume: () => void }[] = [];

  now(): number {
    return this.#nowMs;
  }

  until(atMs: number): Promise<void> {
    return new Promise((resume) => this.#waiting.push({ atMs, resume }));
  }

  async run<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    while (!isDone) {
      await new Promise(setImmediate);
      const next = this.#waiting.toSorted((a, b) => a.atMs - b.atMs)[0];
      if (next === undefined) continue;
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.resume();
    }
    return done;
  }
}

/** Every 10 ms from 0. */
function evenArrivals(count: number, kind: RequestKind = "read"): Arrival[] {
  return Array.from({ length: count }, (_, index) => ({ atMs: index * 10, kind }));
}

async function run(
  arrivals: readonly Arrival[],
  send: (clock: LoadClock) => Promise<void>,
  maximumInFlight = 1_000,
) {
  const clock = new SimulatedClock();
  const samples: Sample[] = [];
  const loop = { arrivals, clock, send: () => send(clock), maximumInFlight };
  const result = await clock.run(runOpenLoop({ ...loop, onSample: (sample) => samples.push(sample) }));
  return { result, samples };
}

describe("the open loop", () => {
  it("counts every request that was due while the server stalled: p99 is 900 ms, not 1 ms", async () => {
    // Answers in 1 ms, but nothing between 2,000 and 3,000 ms.
    const { samples } = await run(evenArrivals(1_000), async (clock) => {
      const atMs = clock.now();
      await clock.until(atMs >= 2_000 && atMs < 3_000 ? 3_000 : atMs + 1);
    });
    const [read] = judge(samples, defaultLimits).filter(({ kind }) => kind === "read");
    // 100 of 1,000 were due meanwhile and took 1,000, 990, … 10 ms. Ten took longer than p99.
    expect(read).toMatchObject({ count: 1_000, most: 1_000, p99: 900, p50: 1, isKept: false });
  });

  it("sends on time although no answer has come", async () => {
    const sentMs: number[] = [];
    const { result } = await run(evenArrivals(50), async (clock) => {
      sentMs.push(clock.now());
      await clock.until(10_000);
    });
    expect(sentMs).toEqual(evenArrivals(50).map(({ atMs }) => atMs));
    expect(result).toEqual({ sent: 50, isOverrun: false, worstLagMs: 0 });
  });

  it("ends early with too many unanswered requests, and still waits for their answers", async () => {
    const { result, samples } = await run(evenArrivals(50), (clock) => clock.until(10_000), 20);
    expect(result).toMatchObject({ sent: 20, isOverrun: true });
    expect(samples).toHaveLength(20);
  });

  it("notes why a request failed", async () => {
    const { samples } = await run(evenArrivals(2), () => Promise.reject(new Error("503 UNAVAILABLE")));
    expect(samples.map(({ error }) => error)).toEqual(["503 UNAVAILABLE", "503 UNAVAILABLE"]);
  });
});

describe("the schedule", () => {
  const arrivals = scheduleArrivals(100, 100, randomFrom(1));

  it("has the rate and the shares of the mix", () => {
    expect(arrivals.length).toBeGreaterThan(9_500);
    expect(arrivals.length).toBeLessThan(10_500);
    for (const kind of requestKinds) {
      const part = arrivals.filter((one) => one.kind === kind).length / arrivals.length;
      expect(Math.abs(part - shares[kind])).toBeLessThan(0.02);
    }
    expect(Object.values(shares).reduce((sum, share) => sum + share)).toBeCloseTo(1);
  });

  it("has gaps of independent arrivals: as much spread as mean", () => {
    const gaps = arrivals.map(({ atMs }, index) => atMs - (arrivals[index - 1]?.atMs ?? 0));
    const mean = gaps.reduce((sum, gap) => sum + gap) / gaps.length;
    const spread = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length);
    expect(mean).toBeCloseTo(10, 0);
    expect(spread / mean).toBeCloseTo(1, 1);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0);
  });

  it("repeats with its seed", () => {
    expect(scheduleArrivals(100, 100, randomFrom(1))).toEqual(arrivals);
    expect(scheduleArrivals(100, 100, randomFrom(2))).not.toEqual(arrivals);
  });
});
