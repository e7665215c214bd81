import { describe, expect, it } from "vitest";
import { addEntries, addOutcomes, addsUp } from "../../../functions/files/file-format.ts";

const money = (amount: number, currency = "USD") => ({ amount, currency });

describe("what a bank's file adds up to", () => {
  const outcomes = [
    { status: "applied", money: money(100) },
    { status: "duplicate", money: money(20) },
    { status: "suspense", money: money(3) },
    { status: "rejected", money: money(7, "EUR") },
    { status: "rejected" },
  ] as const;
  const counts = { records: 5, applied: 1, duplicates: 1, suspense: 1, rejected: [] };
  const known = { ...counts, rejectedUnlisted: 2 };
  const sums = addOutcomes(addOutcomes([], outcomes.slice(0, 2)), outcomes.slice(2));

  it("is the sum of its entries, in each currency", () => {
    const all = addEntries(sums, [money(103), money(20), money(7, "EUR")]);
    expect(all.map(({ currency, entries }) => [currency, entries])).toEqual([
      ["EUR", { count: 1, amount: 7 }],
      ["USD", { count: 2, amount: 123 }],
    ]);
    expect(all[1]).toMatchObject({ booked: { count: 1, amount: 100 } });
    expect(addsUp(known, all)).toBe(true);
  });

  it.each([
    ["a cent is missing", known, [money(124), money(7, "EUR")]],
    ["a currency is missing", known, [money(130)]],
    ["a record is missing", counts, [money(123), money(7, "EUR")]],
  ])("does not add up where %s", (_, of, entries) => {
    expect(addsUp(of, addEntries(sums, entries))).toBe(false);
  });
});
