import { assumptions, cardMonth } from "./assumptions.ts";
import { actionsOf, monthOf, type Recorded } from "./model.ts";
import { prices, usdOf } from "./prices.ts";

const gb = 1e9;
const years = [1, 3, 7];
/** Of each, the Card's entry leaves the table after 13 months and the one under way. */
const moved = ["an authorization", "a reversal or expiry"];
const stayingMonths = 14;

export interface StoredYear {
  readonly year: number;
  readonly tableGb: number;
  readonly recordsGb: number;
  /** Dollars a month: tables, their recovery to any second, and objects. */
  readonly tableUsd: number;
  readonly recoveryUsd: number;
  readonly recordsUsd: number;
  /** Of everything, storage included. */
  readonly monthUsd: number;
  /** The same with tables of the class Standard-IA. */
  readonly infrequentUsd: number;
}

/** What so many Cards have stored after some years, if `npm run archive` runs each month. */
export function storedYears(recorded: Recorded, cards: number): StoredYear[] {
  const actions = actionsOf(recorded).map((action) => ({
    ...action,
    count: (cardMonth[action.name] ?? 0) * cards,
  }));
  const sum = (bytesOf: (action: (typeof actions)[number]) => number) =>
    actions.reduce((all, action) => all + action.count * bytesOf(action), 0) / gb;
  const keptGb = sum(({ keptBytes }) => keptBytes);
  const expiringGb = sum(({ expiringByteMonths }) => expiringByteMonths);
  const movedGb = sum(({ name }) => (moved.includes(name) ? assumptions.movedEntryBytes : 0));
  const { readUnits = 0, writeUnits = 0 } = monthOf(recorded, cards);
  const { tableGbMonths: _, backupGbMonths: __, ...others } = monthOf(recorded, cards);
  return years.map((year) => {
    const recordsGb = movedGb * Math.max(0, year * 12 - stayingMonths);
    const tableGb = keptGb * year * 12 + expiringGb - recordsGb;
    const tableUsd = tableGb * prices.tableGbMonths.usd;
    const recoveryUsd = tableGb * prices.backupGbMonths.usd;
    const recordsUsd = recordsGb * assumptions.objectGbMonthUsd;
    const monthUsd = usdOf(others) + tableUsd + recoveryUsd + recordsUsd;
    const infrequentUsd =
      monthUsd +
      (assumptions.infrequentStorage - 1) * tableUsd +
      (assumptions.infrequentUnit - 1) * usdOf({ readUnits, writeUnits });
    return { year, tableGb, recordsGb, tableUsd, recoveryUsd, recordsUsd, monthUsd, infrequentUsd };
  });
}
