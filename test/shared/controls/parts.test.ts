import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countAgain, countNow } from "../../../shared/controls/count.ts";
import { addUpUsage, isBeyondShare, layOut, partCount } from "../../../shared/controls/shares.ts";
import { type ControlScope, type Usage, usedAt } from "../../../shared/controls/usage.ts";
import type { Counted } from "../../../shared/transactions/transaction.ts";

const startMs = Date.parse("2026-11-23T10:00:00Z");
const minute = 60_000;
const windows = ["day", "lifetime", "PT10M", "PT2H"] as const;
const limit = 3_000;

const controls = windows.map((window) => ({
  controlId: `ctl_${window}`,
  countsFrom: new Date(startMs).toISOString(),
  velocity: { amount: limit * (window === "lifetime" ? 100 : 1), count: 10_000, window },
}));
const scope: ControlScope = { owner: "program", ownerId: "prg_1", controls };
const empty: Usage = { version: 1, controls: {} };

type Action =
  | { readonly do: "count"; readonly part: number; readonly amount: number }
  | { readonly do: "giveBack"; readonly part: number; readonly nth: number; readonly amount: number }
  | { readonly do: "layOut" }
  | { readonly do: "merge" }
  | { readonly do: "changeZone" }
  | { readonly do: "wait"; readonly minutes: number };

const part = fc.nat({ max: 2 });
const amount = fc.integer({ min: 1, max: 40 });
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("count" as const), part, amount }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("giveBack" as const), part, nth: fc.nat(), amount }) },
  { weight: 1, arbitrary: fc.constant({ do: "layOut" as const }) },
  { weight: 1, arbitrary: fc.constant({ do: "merge" as const }) },
  { weight: 1, arbitrary: fc.constant({ do: "changeZone" as const }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      minutes: fc.constantFrom(1, 3, 6, 11, 70, 800),
    }),
  },
);

/** Counts in random parts, and in one usage that is never split: both must always agree. */
function play(actions: readonly Action[]) {
  let [atMs, timeZone] = [startMs, "Europe/Berlin"];
  let single: ControlScope = { ...scope, usage: empty };
  let parts: readonly Usage[] = [empty];
  const given: Counted[][] = [];
  const relay = (amountMinor: number) => {
    const inForce = { timeZone, scopes: [scope] };
    parts = layOut(addUpUsage(parts), inForce, amountMinor, atMs);
  };
  const inPart = (index: number, change: (part: ControlScope) => ControlScope) => {
    const at = index % parts.length;
    const before = { ...scope, usage: parts[at], part: at };
    const { usage } = change(before);
    if (isBeyondShare(before, usage, atMs)) return false;
    parts = parts.map((one, other) => (other === at && usage ? usage : one));
    return true;
  };
  relay(1);
  for (const one of actions) {
    if (one.do === "wait") atMs += one.minutes * minute;
    else if (one.do === "layOut") relay(1);
    else if (one.do === "merge") relay(Number.POSITIVE_INFINITY);
    else if (one.do === "changeZone") {
      timeZone = timeZone === "Etc/UTC" ? "Europe/Berlin" : "Etc/UTC";
      relay(1);
    } else if (one.do === "count") {
      const approval = { transId: "txn_1", amountMinor: one.amount, isUse: true, countOf: () => 1 as const };
      const count = (before: ControlScope) => {
        const changed = countNow({ scopes: [before], timeZone }, approval, atMs);
        given.push([...changed.counted]);
        return changed.scopes[0] as ControlScope;
      };
      if (!inPart(one.part, count)) {
        given.pop();
        relay(one.amount);
        continue;
      }
      const isExceeded = controls.some((control) => {
        const used = usedAt(single.usage, control, atMs);
        return used.amount + one.amount > control.velocity.amount;
      });
      // Whole, it decides by its limits, as it always has: here it just counts.
      if (parts.length === partCount) expect(isExceeded, JSON.stringify(one)).toBe(false);
      single = count(single);
      given.pop();
    } else if (one.do === "giveBack") {
      const before = given[one.nth % Math.max(1, given.length)];
      if (!before) continue;
      const after = before.map((counted) => {
        const left = Math.max(0, counted.amount - one.amount);
        return { ...counted, amount: left, count: left > 0 ? 1 : 0 };
      });
      given[one.nth % given.length] = after;
      const giveBack = (from: ControlScope) =>
        countAgain({ scopes: [from] }, before, after, atMs)[0] as ControlScope;
      inPart(one.part, giveBack);
      single = giveBack(single);
    }
    for (const control of controls) {
      const used = usedAt(addUpUsage(parts), control, atMs);
      expect(used, `${control.controlId} after ${JSON.stringify(one)}`).toEqual(
        usedAt(single.usage, control, atMs),
      );
    }
  }
}

describe("a split usage", () => {
  it("counts as one that is not split, and its parts never exceed a limit together", () => {
    fc.assert(
      fc.property(fc.array(action, { minLength: 10, maxLength: 120 }), (actions) => play(actions)),
      { numRuns: 100 },
    );
  });

  it("gives nothing back of a day that ended in the time zone from before", () => {
    const count = { do: "count", part: 0, amount: 1 } as const;
    const giveBack = { do: "giveBack", part: 0, nth: 1, amount: 1 } as const;
    const wait = (minutes: number) => ({ do: "wait", minutes }) as const;
    const changeZone = { do: "changeZone" } as const;
    play([count, changeZone, wait(800), count, wait(70), count, wait(1), changeZone, giveBack]);
  });

  const count = (usage: Usage | undefined, amountMinor: number, atMs: number) => {
    const approval = { transId: "txn_1", amountMinor, isUse: true, countOf: () => 1 as const };
    const { scopes, counted } = countNow(
      { scopes: [{ ...scope, usage }], timeZone: "Etc/UTC" },
      approval,
      atMs,
    );
    return { usage: scopes[0]?.usage as Usage, counted };
  };
  const split = (whole: Usage, atMs: number) =>
    layOut(whole, { timeZone: "Etc/UTC", scopes: [scope] }, 1, atMs);

  it("gives what is left of a limit to its parts, also what has just ended", () => {
    for (const [atMs, used] of [
      [startMs, 1_000],
      [startMs + 10 * minute + 30_000, 1_000],
      [startMs + 15 * minute, 0],
    ] as const) {
      const parts = split(count(empty, 1_000, startMs).usage, atMs);
      expect(parts).toHaveLength(partCount);
      const shares = parts.map((one) => one.split?.shares.ctl_PT10M?.share.amount ?? 0);
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(limit);
      expect(shares[1]).toBe(Math.floor((limit - used) / partCount));
      expect(shares[0]).toBeGreaterThanOrEqual(used);
    }
  });

  it("does not lend what it gave back in a period that ends before the loan", () => {
    const [, lender, giver] = split(empty, startMs);
    const { counted } = count(lender, 30, startMs);
    const none = counted.map((one) => ({ ...one, amount: 0, count: 0 }));
    const scopes = [{ ...scope, usage: giver }];
    const after = countAgain({ scopes }, counted, none, startMs)[0]?.usage;
    const part = { ...scope, usage: after };
    expect(isBeyondShare(part, count(after, 31, startMs).usage, startMs)).toBe(false);
    const laterMs = startMs + 5 * minute;
    expect(isBeyondShare(part, count(after, 32, laterMs).usage, laterMs)).toBe(true);
  });
});
