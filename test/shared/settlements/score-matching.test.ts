import { expect, it } from "vitest";
import { type HeldAmount, type SettledAmount, scoreCard } from "../../../shared/settlements/hold-matching.ts";
import { newTally } from "../../../shared/settlements/tally.ts";

const held = (reference: string, amountMinor: number, at = "2026-03-10T12:00:00.000Z"): HeldAmount => ({
  ...{ transId: `h-${reference}`, reference, amountMinor, at },
});
const settled = (
  reference: string | undefined,
  amountMinor: number,
  { at = "2026-03-10T13:00:00.000Z", crossCurrency = false } = {},
): SettledAmount => ({
  ...{ transId: `s-${reference}-${amountMinor}`, reference, amountMinor, at, crossCurrency },
});

function score(holds: HeldAmount[], settlements: SettledAmount[], scored = settlements) {
  const { matching } = newTally();
  scoreCard(matching, holds, settlements, scored);
  return matching;
}

it("counts what the rules match as the platform does", () => {
  expect(score([held("a", 1_000)], [settled("a", 1_000)])).toMatchObject({
    ...{ settlements: 1, correct: 1, wrong: 0, lost: {} },
  });
});

it("says by which rule a settlement is lost, and by how much", () => {
  const late = { at: "2026-03-14T00:00:00.000Z" };
  const abroad = { crossCurrency: true };
  const holds = [held("tip", 1_000), held("late", 7_000), held("abroad", 20_000), held("parts", 50_000)];
  const settlements = [
    settled("tip", 1_200),
    settled("late", 7_000, late),
    settled("abroad", 21_000, abroad),
    settled("parts", 50_000),
    settled("parts", 50_100),
  ];
  const { lost, ...others } = score(holds, settlements);
  expect(others).toEqual({ settlements: 5, correct: 1, wrong: 0, wrongAmount: 0, unscored: 0 });
  expect(lost).toEqual({
    amount: { count: 1, amount: 1_200, difference: 200 },
    days: { count: 1, amount: 7_000, difference: 0 },
    amount_cross_currency: { count: 1, amount: 21_000, difference: 1_000 },
    one_settlement: { count: 1, amount: 50_100, difference: 100 },
  });
});

it("counts settlements that are matched with each other's holds as wrong, and as lost to a closer pair", () => {
  const { lost, ...others } = score(
    [held("a", 100_000), held("b", 100_200)],
    [settled("a", 100_200), settled("b", 100_300)],
  );
  expect(others).toEqual({ settlements: 2, correct: 0, wrong: 2, wrongAmount: 200_500, unscored: 0 });
  expect(lost).toEqual({ closest: { count: 2, amount: 200_500, difference: 300 } });
});

it("counts a force post that is matched as wrong, and as nothing to be found", () => {
  expect(score([held("a", 1_000)], [settled(undefined, 1_000)])).toEqual({
    ...{ settlements: 0, correct: 0, wrong: 1, wrongAmount: 1_000, unscored: 0, lost: {} },
  });
});

it("scores only the settlements of the day, matched among all", () => {
  const [one, other] = [settled("a", 1_000), settled("b", 1_000, { at: "2026-03-09T12:00:00.000Z" })];
  expect(score([held("a", 1_000), held("b", 1_000)], [one, other], [one])).toMatchObject({ settlements: 1 });
});
