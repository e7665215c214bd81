import { assumptions, cardMonth } from "./assumptions.ts";
import { actionsOf, monthOf, type Recorded } from "./model.ts";
import { prices, usdOf } from "./prices.ts";

const gb = 1e9;
const years = [1, 3, 7];

export interface StoredYear {
  readonly year: number;
  readonly tableGb: number;
  /** Dollars a month: tables, and their recovery to any second. */
  readonly tableUsd: number;
  readonly recoveryUsd: number;
  /** Of everything, storage included. */
  readonly monthUsd: number;
  /** The same with tables of the class Standard-IA. */
  readonly infrequentUsd: number;
}

/** What so many Cards have stored after some years. */
export function storedYears(recorded: Recorded, cards: number): StoredYear[] {
  const actions = actionsOf(recorded).map((action) => ({
    ...action,
    count: (cardMonth[action.name] ?? 0) * cards,
  }));
  const sum = (bytesOf: (action: (typeof actions)[number]) => number) =>
    actions.reduce((all, action) => all + action.count * bytesOf(action), 0) / gb;
  const keptGb = sum(({ keptBytes }) => keptBytes);
  const expiringGb = sum(({ expiringByteMonths }) => expiringByteMonths);
  const { readUnits = 0, writeUnits = 0 } = monthOf(recorded, cards);
  const { tableGbMonths: _, backupGbMonths: __, ...others } = monthOf(recorded, cards);
  return years.map((year) => {
    const tableGb = keptGb * year * 12 + expiringGb;
    const tableUsd = tableGb * prices.tableGbMonths.usd;
    const recoveryUsd = tableGb * prices.backupGbMonths.usd;
    const monthUsd = usdOf(others) + tableUsd + recoveryUsd;
    const infrequentUsd =
      monthUsd +
      (assumptions.infrequentStorage - 1) * tableUsd +
      (assumptions.infrequentUnit - 1) * usdOf({ readUnits, writeUnits });
    return { year, tableGb, tableUsd, recoveryUsd, monthUsd, infrequentUsd };
  });
}
