import { expect, test } from "vitest";
import { transactionList } from "../../../shared/transactions/transaction.ts";
import { transferList } from "../../../shared/wallets/transfer-list.ts";
import { build, load } from "../../tools/bench/list-load.ts";
import { type AskedPage, lists } from "../../tools/bench/list-pages.ts";
import { measureList } from "../../tools/bench/lists.ts";

const isAsked = ({ isTimed, orderBy, filterIndex, spanIndex }: AskedPage) =>
  isTimed && orderBy !== "transId" && filterIndex === 0 && spanIndex < 2;

async function costsOf(name: string, size: number, fill: typeof load) {
  const list = lists.find(({ kind }) => kind.name === name);
  if (!list) throw new Error(`The bench has no list of ${name}.`);
  const { measured } = await measureList(list, size, fill, isAsked);
  return [...measured.values()].map(({ cost }) => cost);
}

/** As many segments as compactions leave. `npm run bench -- long-lists` has all pages. */
test.each([
  [transferList.name, 10_000_000, 105],
  [transactionList.name, 50_000, 97],
])(
  "pages of %s take at most twice what the first of 1,000 takes; of %i at most %i read units",
  async (name, size, most) => {
    const [first] = await costsOf(name, 1_000, load);
    const costs = await costsOf(name, size, build);
    const units = Math.max(...costs.map(({ readUnits }) => readUnits));
    expect(Math.max(...costs.map(({ roundTrips }) => roundTrips))).toBeLessThanOrEqual(4);
    expect(units).toBeLessThanOrEqual(most);
    expect(units).toBeLessThanOrEqual(2 * (first?.readUnits ?? 0));
  },
  300_000,
);
