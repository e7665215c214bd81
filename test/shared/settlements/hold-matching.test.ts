import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type HeldAmount,
  matchHolds,
  type SettledAmount,
} from "../../../shared/settlements/hold-matching.ts";

const hold = (transId: string, amountMinor: number, at = "2026-03-10T12:00:00.000Z"): HeldAmount => ({
  transId,
  amountMinor,
  at,
});
const settled = (
  transId: string,
  amountMinor: number,
  at = "2026-03-10T12:00:00.000Z",
  crossCurrency = false,
): SettledAmount => ({ transId, amountMinor, at, crossCurrency });
const abroad = (transId: string, amountMinor: number) =>
  settled(transId, amountMinor, "2026-03-10T12:00:00.000Z", true);

const pairs = (holds: HeldAmount[], settlements: SettledAmount[]) =>
  matchHolds(holds, settlements).matches.map((match) => [match.hold.transId, match.settlement.transId]);

describe("a hold and a settlement match", () => {
  test.each([
    [100_000, 100_500, false, true],
    [100_000, 100_501, false, false],
    [100_000, 99_500, false, true],
    [100_000, 99_499, false, false],
    [100_000, 102_500, true, true],
    [100_000, 102_501, true, false],
    [100_000, 97_500, true, true],
    [100_000, 97_499, true, false],
    [100, 100, false, true],
    [100, 101, false, false],
    [100, 102, true, true],
    [100, 103, true, false],
  ])("of %i held and %i settled, cross-currency %s: %s", (held, amount, crossCurrency, matches) => {
    const found = matchHolds([hold("h", held)], [{ ...settled("s", amount), crossCurrency }]);
    expect(found.matches).toHaveLength(matches ? 1 : 0);
    expect(found.unmatchedHolds).toHaveLength(matches ? 0 : 1);
    expect(found.unmatchedSettlements).toHaveLength(matches ? 0 : 1);
  });

  test.each([
    ["2026-03-10T23:59:59.999Z", "2026-03-13T23:59:59.999Z", true],
    ["2026-03-10T00:00:00.000Z", "2026-03-13T23:59:59.999Z", true],
    ["2026-03-10T23:59:59.999Z", "2026-03-14T00:00:00.000Z", false],
    ["2026-03-10T12:00:00.000Z", "2026-03-10T12:00:00.000Z", true],
    ["2026-03-10T12:00:00.001Z", "2026-03-10T12:00:00.000Z", false],
    ["2026-03-13T00:00:00.000Z", "2026-03-10T00:00:00.000Z", false],
  ])("held at %s, settled at %s: %s, for days count, not hours", (held, at, matches) => {
    expect(pairs([hold("h", 100, held)], [settled("s", 100, at)])).toHaveLength(matches ? 1 : 0);
  });
});

describe("a settlement in another currency matches", () => {
  const billed = (amountMinor: number, currency = "978") => ({ amountMinor, currency });
  test.each([
    ["without what the network told of it", 102_600, {}, false],
    ["with its interchange", 102_600, { interchangeMinor: 100 }, true],
    ["with interchange that the Program pays", 97_400, { interchangeMinor: -100 }, true],
    ["with less interchange than it is apart", 102_600, { interchangeMinor: 99 }, false],
    ["with the same amount at another rate", 108_000, { billed: billed(90_000) }, true],
    ["with 2.5 % more at another rate", 110_700, { billed: billed(92_250) }, true],
    ["with more than that", 110_711, { billed: billed(92_260) }, false],
    ["with the same amount of a third currency", 108_000, { billed: billed(90_000, "756") }, false],
  ])("%s", (_, amount, told, matches) => {
    const held = { ...hold("h", 100_000), billed: billed(90_000) };
    expect(pairs([held], [{ ...abroad("s", amount), ...told }])).toHaveLength(matches ? 1 : 0);
  });

  test("which interchange does not change for a merchant of the Card's currency", () => {
    expect(pairs([hold("h", 100_000)], [{ ...settled("s", 100_600), interchangeMinor: 600 }])).toEqual([]);
  });
});

describe("of several candidates", () => {
  test("the closest amount wins, however far its date", () => {
    const holds = [hold("near", 100_100), hold("far", 100_010, "2026-03-08T12:00:00.000Z")];
    expect(pairs(holds, [settled("s", 100_000)])).toEqual([["far", "s"]]);
  });

  test("of equally close amounts the closest date wins, but none after the settlement", () => {
    const holds = [
      hold("early", 100, "2026-03-08T12:00:00.000Z"),
      hold("close", 100, "2026-03-09T12:00:00.000Z"),
      hold("late", 100, "2026-03-10T12:00:01.000Z"),
    ];
    expect(pairs(holds, [settled("s", 100)])).toEqual([["close", "s"]]);
  });

  test("the best pair is made first, whichever settlement came first", () => {
    const settlements = [settled("off", 100_300), settled("exact", 100_000, "2026-03-12T12:00:00.000Z")];
    const found = matchHolds([hold("h", 100_000)], settlements);
    expect(found.matches).toMatchObject([{ settlement: { transId: "exact" } }]);
    expect(found.unmatchedSettlements).toMatchObject([{ transId: "off" }]);
  });

  test("each is matched once", () => {
    const holds = [hold("a", 100), hold("b", 100)];
    const found = matchHolds(holds, [settled("x", 100), settled("y", 100), settled("z", 100)]);
    expect(found.matches).toHaveLength(2);
    expect(new Set(found.matches.map((match) => match.hold.transId)).size).toBe(2);
    expect(found.unmatchedSettlements).toHaveLength(1);
  });
});

describe("a match", () => {
  test("shows the variance, and flags those above 2 %", () => {
    const of = (amount: number) => matchHolds([hold("h", 100_000)], [abroad("s", amount)]).matches[0];
    expect(of(102_000)).toMatchObject({ differenceMinor: 2_000, varianceBasisPoints: 200, flagged: false });
    expect(of(102_001)).toMatchObject({ differenceMinor: 2_001, varianceBasisPoints: 200, flagged: true });
    expect(of(97_600)).toMatchObject({ differenceMinor: -2_400, varianceBasisPoints: 240, flagged: true });
  });
});

const amounts = fc.integer({ min: 1, max: 400 });
const times = fc
  .integer({ min: 0, max: 10 * 24 })
  .map((hours) => new Date(Date.UTC(2026, 2, 1, hours)).toISOString());

test("random holds and settlements are each in the report once, and all matches follow the rules", () => {
  const held = fc.array(fc.tuple(amounts, times), { maxLength: 25 });
  const posted = fc.array(fc.tuple(amounts, times, fc.boolean()), { maxLength: 25 });
  fc.assert(
    fc.property(held, posted, (heldAmounts, postedAmounts) => {
      const holds = heldAmounts.map(([amount, at], index) => hold(`h${index}`, amount, at));
      const settlements = postedAmounts.map(([amount, at, cross], index) =>
        settled(`s${index}`, amount, at, cross),
      );
      const found = matchHolds(holds, settlements);
      const sorted = (records: readonly HeldAmount[]) => records.map(({ transId }) => transId).toSorted();
      expect(sorted([...found.matches.map((match) => match.hold), ...found.unmatchedHolds])).toEqual(
        sorted(holds),
      );
      expect(
        sorted([...found.matches.map((match) => match.settlement), ...found.unmatchedSettlements]),
      ).toEqual(sorted(settlements));
      for (const match of found.matches) expect(couldMatch(match.hold, match.settlement)).toBe(true);
      for (const one of found.unmatchedHolds)
        for (const other of found.unmatchedSettlements) expect(couldMatch(one, other)).toBe(false);
    }),
  );
});

/** The specification's table, in its own words. */
function couldMatch(one: HeldAmount, other: SettledAmount): boolean {
  const share = Math.abs(other.amountMinor - one.amountMinor) / one.amountMinor;
  const days = (Date.parse(other.at.slice(0, 10)) - Date.parse(one.at.slice(0, 10))) / 86_400_000;
  return share <= (other.crossCurrency ? 0.025 : 0.005) && days <= 3 && other.at >= one.at;
}
