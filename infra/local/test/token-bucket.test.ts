import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TokenBucket } from "../endpoint/usage-plans.ts";

const rules = { ratePerSecond: 10, burst: 5 };

/** How many of simultaneous requests are admitted. */
function admitted(bucket: TokenBucket, requests: number, nowMs: number): number {
  return Array.from({ length: requests }, () => bucket.take(nowMs)).filter(Boolean).length;
}

describe("a token bucket", () => {
  it("is full at first, and gives its burst at once", () => {
    expect(admitted(new TokenBucket(rules, 0), 20, 0)).toBe(5);
  });

  it("gets its tokens back at its rate, and not faster", () => {
    const bucket = new TokenBucket(rules, 0);
    admitted(bucket, 5, 0);
    expect(admitted(bucket, 5, 99)).toBe(0);
    expect(admitted(bucket, 5, 100)).toBe(1);
    expect(admitted(bucket, 5, 350)).toBe(2);
    // Half a token was left over.
    expect(admitted(bucket, 5, 400)).toBe(1);
  });

  it("never holds more than its burst", () => {
    const bucket = new TokenBucket(rules, 0);
    expect(admitted(bucket, 20, 3_600_000)).toBe(5);
  });

  it("takes no token for a rejected request", () => {
    const bucket = new TokenBucket(rules, 0);
    admitted(bucket, 1_000, 0);
    expect(admitted(bucket, 1_000, 100)).toBe(1);
  });

  it("never admits more than its burst and its rate allow, nor less where everybody waits for a token", () => {
    const arrivals = fc.array(fc.tuple(fc.nat({ max: 500 }), fc.nat({ max: 12 })), { maxLength: 60 });
    fc.assert(
      fc.property(arrivals, (steps) => {
        const bucket = new TokenBucket(rules, 0);
        let nowMs = 0;
        let tokens = rules.burst;
        for (const [pauseMs, requests] of steps) {
          nowMs += pauseMs;
          tokens = Math.min(rules.burst, tokens + pauseMs / 100);
          const given = admitted(bucket, requests, nowMs);
          // Sums of tenths are not exact: a rounded token may arrive a moment later.
          expect(given).toBeLessThanOrEqual(Math.floor(tokens + 1e-6));
          expect(given).toBeGreaterThanOrEqual(Math.min(requests, Math.floor(tokens - 1e-6)));
          tokens -= given;
        }
      }),
    );
  });
});
