import type { ListKind } from "../../../shared/lists/kind.ts";
import { writeBatch } from "../../../shared/platform/table/batch.ts";
import { transactionList } from "../../../shared/transactions/transaction.ts";
import { transferList } from "../../../shared/wallets/transfer-list.ts";
import { type GivenProgram, givenProgram } from "../../harness/given-cards.ts";
import { type Cost, fromAfar, measure } from "../../harness/measure.ts";
import { build, type Loaded, load, recordOf } from "./list-load.ts";
import { type AskedPage, type List, lists, type Page, pagesOf } from "./list-pages.ts";
import { type Interval, medianInterval } from "./median-interval.ts";
import { progress, type Row } from "./report.ts";

export const columns = [
  "list",
  "records",
  "pages",
  "round trips",
  "read units",
  "ratio",
  "ms",
  "ratio",
  "slowest page",
];

const roundTripLimit = 4;
/** Of a list of 1,000, so many times its read units: docs/lists.md says what grows. */
const unitsLimit = 2;
/** A long list takes so many times the time: it fails if the whole interval is beyond it. */
const timeLimit = 2;
/** Neighbouring pairs of a long list's page and of that of 1,000. */
const pairs = 9;
/** The least of several measurements: other work on the machine only adds to it. */
const repetitions = 4;

interface Measured {
  readonly cost: Cost;
  readonly ms: number | undefined;
  readonly ask: () => Promise<unknown>;
  /** How many rows it has. */
  readonly length: number;
}

/** The list of 1,000, which the others are held against. */
interface First {
  readonly units: number;
  readonly pages: ReadonlyMap<string, Measured>;
}

/** The same page of the list of 1,000; its first page, if that one had fewer rows. */
function baselineOf({ pages }: First, name: string, length: number): Measured {
  const [same, beginning] = [pages.get(name), [...pages.values()][0]];
  const found = same?.length === length && same.ms !== undefined ? same : beginning;
  if (!found) throw new Error("The list of 1,000 has no pages.");
  return found;
}

/** All kinds of pages in lists of several lengths, first checked against the naive answer. */
export async function costsOfLists(scale: number): Promise<{ rows: Row[]; indexUnits: Map<string, number> }> {
  const rows: Row[] = [];
  const indexUnits = new Map<string, number>();
  for (const list of lists) {
    let first: First | undefined;
    for (const size of list.sizes.map((each) => (each > 1_000 ? Math.ceil(each * scale) : each))) {
      const { loaded, measured } = await measureList(list, size, load);
      indexUnits.set(list.kind.name, (loaded.indexUnits ?? 0) / size);
      first ??= toFirst(measured);
      report(rows, rowOf(list, size, measured, first));
    }
  }
  return { rows, indexUnits };
}

/** Lists whose segments are built, since writing them would take hours. */
const longLists: readonly {
  readonly kind: ListKind;
  readonly isAsked: (page: AskedPage) => boolean;
}[] = [
  { kind: transferList, isAsked: ({ isTimed, spanIndex }) => isTimed && spanIndex < 2 },
  // Each further order would take minutes to sort.
  {
    kind: transactionList,
    isAsked: ({ isTimed, orderBy, filterIndex, spanIndex }) =>
      isTimed && ["transDate", "amount", "transStatus"].includes(orderBy) && filterIndex < 2 && spanIndex < 2,
  },
];

/** All of them, or the one with this name. */
export async function costsOfLongLists(records: number, name?: string): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { kind, isAsked } of longLists.filter((one) => name === undefined || one.kind.name === name)) {
    const list = lists.find((one) => one.kind === kind);
    if (!list) throw new Error(`The bench has no list of ${kind.name}.`);
    let first: First | undefined;
    for (const size of [1_000, records]) {
      const { measured } = await measureList(list, size, size === records ? build : load, isAsked);
      first ??= toFirst(measured);
      report(rows, rowOf(list, size, measured, first, await compareTimes(measured, first)));
    }
  }
  return rows;
}

/** Pages of a list of so many records, with what each took. Throws if an answer is wrong. */
export async function measureList(
  list: List,
  size: number,
  fill: typeof load,
  isAsked?: (page: AskedPage) => boolean,
): Promise<{ readonly loaded: Loaded; readonly measured: Map<string, Measured> }> {
  const program = await givenProgram();
  const owner =
    list.kind === transferList
      ? (await program.call("POST /wallets", { body: { name: "Busy" } })).body.data.walletId
      : undefined;
  const loaded = await fill({ programId: program.programId, kind: list.kind, owner }, size);
  return { loaded, measured: await measurePages(program, list, loaded, [...pagesOf(list, loaded, isAsked)]) };
}

async function measurePages(
  program: GivenProgram,
  list: List,
  loaded: Loaded,
  pages: readonly Page[],
): Promise<Map<string, Measured>> {
  const measured = new Map<string, Measured>();
  const isBuilt = loaded.indexUnits === undefined;
  // Warms up.
  for (const page of pages.slice(0, isBuilt ? 1 : 30)) await measurePage(program, list, loaded, page);
  for (const [index, page] of pages.entries()) {
    progress(`${list.route} of ${loaded.entries.length}: page ${index} of ${pages.length}, ${page.name}`);
    measured.set(page.name, await measurePage(program, list, loaded, page));
  }
  return measured;
}

function toFirst(pages: ReadonlyMap<string, Measured>): First {
  return { units: [...pages.values()][0]?.cost.readUnits ?? 0, pages };
}

function report(rows: Row[], row: Row): void {
  progress("");
  console.log(row.cells.join("  "));
  rows.push(row);
}

function rowOf(
  { route }: List,
  size: number,
  measured: ReadonlyMap<string, Measured>,
  first: First,
  intervals?: ReadonlyMap<string, Interval>,
): Row {
  const all = [...measured].map(([name, { cost, ms, length }]) => {
    const interval = intervals?.get(name);
    const ratio = ms === undefined ? 0 : ms / (baselineOf(first, name, length).ms ?? Number.NaN);
    return { name, ...cost, ms, ratio: interval?.median ?? ratio, surely: interval?.low ?? 0 };
  });
  const trips = Math.max(...all.map(({ roundTrips }) => roundTrips));
  const units = Math.max(...all.map(({ readUnits }) => readUnits));
  const slowest = all.toSorted((left, right) => right.ratio - left.ratio)[0];
  const unitsRatio = units / first.units;
  const faults = [
    ...(trips > roundTripLimit ? [`${trips} round trips, not ${roundTripLimit}`] : []),
    ...(unitsRatio > unitsLimit ? [`${unitsRatio.toFixed(2)} times the read units, not ${unitsLimit}`] : []),
    ...all
      .filter(({ surely }) => surely > timeLimit)
      .map(({ name, ratio }) => `${ratio.toFixed(2)} times the time, not ${timeLimit}, ${name}`),
  ];
  const cells = [
    ...[route, size, all.length, trips, `${first.units}..${units}`, unitsRatio.toFixed(2)],
    ...[slowest?.ms?.toFixed(1) ?? "", slowest?.ratio.toFixed(2) ?? "", slowest?.name ?? ""],
  ];
  return {
    cells,
    broken: faults.length > 0 ? `${route} of ${size} takes ${faults.join(" and ")}.` : undefined,
  };
}

/** The time of each timed page, as a multiple of that of 1,000 records, measured in turn. */
async function compareTimes(
  measured: ReadonlyMap<string, Measured>,
  first: First,
): Promise<ReadonlyMap<string, Interval>> {
  const intervals = new Map<string, Interval>();
  for (const [name, { ask, ms, length }] of measured) {
    if (ms === undefined) continue;
    progress(`in pairs: ${name}`);
    const ratios: number[] = [];
    const base = baselineOf(first, name, length).ask;
    for (let pair = 0; pair < pairs; pair += 1) {
      const [before, own] = [await timeOf(base), await timeOf(ask)];
      ratios.push(own / before);
    }
    intervals.set(name, medianInterval(ratios));
  }
  return intervals;
}

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}

async function measurePage(program: GivenProgram, list: List, loaded: Loaded, page: Page): Promise<Measured> {
  const { name, query, total, entries, isTimed } = page;
  const ids = entries.map(({ id }) => id);
  const path: Record<string, string> = loaded.list.owner === undefined ? {} : { walletId: loaded.list.owner };
  await writeBatch(
    [...new Map(entries.map((entry) => [entry.id, entry])).values()].map((entry) => ({
      put: recordOf(loaded.list, entry),
    })),
  );
  const ask = () => program.call(list.route, { path, query: { ...query } });
  const { result, cost } = await fromAfar(() => measure(ask));
  const found = result.body.items?.map((item: Record<string, unknown>) => item[list.idName]);
  if (result.status !== 200 || result.body.total !== total || JSON.stringify(found) !== JSON.stringify(ids)) {
    throw new Error(
      `${list.route} ${name}: ${result.status}, a total of ${result.body.total}, not ${total}, or other rows.`,
    );
  }
  if (!isTimed) return { cost, ms: undefined, ask, length: ids.length };
  const times: number[] = [];
  for (let repetition = 0; repetition < repetitions; repetition += 1) times.push(await timeOf(ask));
  return { cost, ms: Math.min(...times), ask, length: ids.length };
}
