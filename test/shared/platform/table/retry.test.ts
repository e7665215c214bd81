import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { deferredHandler } from "../../../../shared/platform/deferred-handler.ts";
import { log } from "../../../../shared/platform/log.ts";
import {
  Conflict,
  ContendedError,
  optionally,
  retry,
  retryDecision,
  soon,
  Throttled,
} from "../../../../shared/platform/table/retry.ts";
import { withinInvocation, withinShare, withinTime } from "../../../../shared/platform/time-budget.ts";

/** Time that passes in waits alone, so that a test knows when it is up. */
let elapsedMs: number;
let waits: number[];
beforeEach(() => {
  [elapsedMs, waits] = [0, []];
  vi.spyOn(performance, "now").mockImplementation(() => elapsedMs);
  vi.spyOn(globalThis, "setTimeout").mockImplementation(((run: () => void, ms: number) => {
    waits.push(ms);
    elapsedMs += ms;
    queueMicrotask(run);
  }) as never);
  vi.spyOn(log, "measured").mockReturnValue();
});
afterEach(() => vi.restoreAllMocks());

/** An attempt that conflicts so many times before it answers its number. */
function conflicting(times: number) {
  let attempts = 0;
  return vi.fn(async () => {
    attempts += 1;
    return attempts > times ? attempts : new Conflict("balance");
  });
}
const always = () => conflicting(Number.POSITIVE_INFINITY);
const measured = () => vi.mocked(log.measured).mock.calls.map(([, facts]) => facts);

describe("retry", () => {
  it("returns the first result without a conflict, and measures the conflicts before it", async () => {
    expect(await retry(conflicting(0))).toBe(1);
    expect(measured()).toEqual([]);
    expect(await retry(conflicting(3))).toBe(4);
    expect(waits).toHaveLength(3);
    expect(measured()).toEqual([
      expect.objectContaining({ actions: ["balance"], givenUp: false, WriteConflicts: 3 }),
    ]);
  });

  it("waits longer after each conflict, for half a second at most", async () => {
    await retry(conflicting(20));
    for (const [index, ms] of waits.entries()) expect(ms).toBeLessThan(Math.min(500, 20 * 2 ** index));
  });

  it("passes an error on at once", async () => {
    const attempt = vi.fn(() => Promise.reject(new Error("no table")));
    await expect(retry(attempt)).rejects.toThrow("no table");
    expect(attempt).toHaveBeenCalledOnce();
  });

  it("gives up after eight seconds outside of an invocation, and names the contended writes", async () => {
    const error = await retry(always()).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ContendedError);
    expect(error).toMatchObject({ names: ["balance"] });
    expect(elapsedMs).toBeGreaterThan(7_400);
    expect(elapsedMs).toBeLessThan(8_000);
    expect(measured()).toEqual([expect.objectContaining({ givenUp: true, WritesGivenUp: 1 })]);
  });

  it("does not count an optional write that it gives up", async () => {
    await expect(optionally(() => retry(always()))).rejects.toThrow(ContendedError);
    await expect(optionally(() => retryDecision(always()))).rejects.toThrow(ContendedError);
    for (const facts of measured()) expect(facts).not.toHaveProperty("WritesGivenUp");
    expect(measured()).toHaveLength(2);
  });

  it("backs off while the table throttles, however short the delay after a conflict is", async () => {
    const attempt = vi.fn(async () => (attempt.mock.calls.length > 12 ? "done" : new Throttled("balance")));
    expect(await retry(attempt, () => soon(1))).toBe("done");
    expect(Math.max(...waits)).toBeGreaterThan(40);
    waits = [];
    await retry(conflicting(12), () => soon(1));
    expect(Math.max(...waits)).toBeLessThan(10);
  });

  it("gives nested retries no more time than the outermost has", async () => {
    const innermost = always();
    const nested = retry(() => retryDecision(() => retry(innermost)));
    await expect(nested).rejects.toThrow(ContendedError);
    expect(elapsedMs).toBeLessThan(8_000);
    expect(measured()).toHaveLength(1);
  });

  it("shares one time among nested retries that succeed in between", async () => {
    const nested = retry(async () => {
      await retry(conflicting(4));
      return new Conflict("account");
    });
    await expect(nested).rejects.toThrow(ContendedError);
    expect(elapsedMs).toBeLessThan(8_000);
  });

  it("gives each piece of work outside of an invocation its own time", async () => {
    await expect(retry(always())).rejects.toThrow(ContendedError);
    expect(await retry(conflicting(2))).toBe(3);
  });
});

describe("the time of an invocation", () => {
  const leaving = (ms: number) => ({ getRemainingTimeInMillis: () => ms });

  it("ends retries two seconds before Lambda would", async () => {
    await expect(withinInvocation(leaving(5_000), () => retry(always()))).rejects.toThrow(ContendedError);
    expect(elapsedMs).toBeGreaterThan(2_400);
    expect(elapsedMs).toBeLessThan(3_000);
  });

  it("is one time for all pieces of its work", async () => {
    const work = withinInvocation(leaving(5_000), async () => {
      await retry(always()).catch(() => undefined);
      return retry(always());
    });
    await expect(work).rejects.toThrow(ContendedError);
    expect(elapsedMs).toBeLessThan(3_000);
  });

  it("allows one attempt if no time is left for more", async () => {
    const [free, contended] = [conflicting(0), always()];
    const nothingLeft = leaving(0);
    expect(await withinInvocation(nothingLeft, () => retry(free))).toBe(1);
    await expect(withinInvocation(nothingLeft, () => retry(contended))).rejects.toThrow(ContendedError);
    expect(contended).toHaveBeenCalledOnce();
  });

  it("is divided among sequential pieces of work", async () => {
    const piece = (count: number) => withinShare(count, () => retry(always()).catch(() => elapsedMs));
    const ends = await withinInvocation(leaving(14_000), async () => [
      await piece(3),
      await withinShare(2, async () => elapsedMs),
      await piece(1),
    ]);
    expect(ends[0]).toBeLessThan(4_000);
    expect(ends[1]).toBe(ends[0]);
    expect(ends[2]).toBeGreaterThan(11_400);
    expect(ends[2]).toBeLessThan(12_000);
  });

  it("is the remaining time of the Lambda invocation", async () => {
    const handler = deferredHandler(
      async () => async (_event: unknown, _context?: unknown) => retry(always()),
    );
    await expect(handler({}, leaving(4_000) as never)).rejects.toThrow(ContendedError);
    expect(elapsedMs).toBeLessThan(2_000);
  });

  it("is not extended by work with its own time limit", async () => {
    const work = withinTime(300, () => withinInvocation(leaving(10_000), () => retry(always())));
    await expect(work).rejects.toThrow(ContendedError);
    expect(elapsedMs).toBeLessThan(300);
  });
});

describe("retryDecision", () => {
  it("decides again at once, then waits, and measures nothing unless it gives up", async () => {
    expect(await retryDecision(conflicting(3))).toBe(4);
    expect(waits).toHaveLength(2);
    expect(measured()).toEqual([]);
    await expect(retryDecision(always())).rejects.toThrow(ContendedError);
    expect(measured()).toEqual([expect.objectContaining({ actions: ["balance"], givenUp: true })]);
  });

  it("makes the decision that failed conditions ask for, even if the time is up", async () => {
    expect(await withinTime(0, () => retryDecision(conflicting(1)))).toBe(2);
    await expect(withinTime(0, () => retryDecision(conflicting(2)))).rejects.toThrow(ContendedError);
  });
});
