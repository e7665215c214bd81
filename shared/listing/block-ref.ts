import { type Ask, type Fitting, fittingOf } from "./ask.ts";
import { boundsOf, type Directory, directoryBlocks, endsOf } from "./directory.ts";
import { end, type Place, start, type Value } from "./entry.ts";
import { kinds, type ListedKind } from "./listed-kind.ts";
import { directoryLevel, highestLevel, type Node, nodesOf, orderList, type Run, timeList } from "./run.ts";

/** The name of a block or a directory within its run. */
export interface PartName {
  readonly runId: string;
  readonly list: string;
  readonly index: number;
}

/** Between which places something lies, without the second, and how many entries of it fit the filters. */
export interface Extent {
  readonly from: Place;
  readonly to: Place;
  readonly plus: number;
  readonly minus: number;
}

/** A block as the directories tell of it. */
export interface BlockRef extends PartName, Extent {
  /** Whether the counts are exact; otherwise they are bounds, and the block has to be read. */
  readonly exact: boolean;
  /** Where the order is a filter: only entries with this value are meant. */
  readonly only?: Value;
}

/** Blocks that stand together: where the page is not near them, nobody has to look at each. */
export interface BlockGroup extends Extent {
  readonly exact: boolean;
  readonly blocks: () => readonly BlockRef[];
}

const groupBlocks = 64;

/** Which parts of a run a page is about: nodes that lie in its span of time, and directories whose blocks may do so in part. */
export interface RunPlan {
  readonly run: Run;
  readonly nodes: readonly Node[];
  readonly borders: readonly number[];
  readonly directories: readonly PartName[];
}

export function planRun(kind: ListedKind, run: Run, ask: Ask): RunPlan {
  const { runId, blocks, since, until } = run;
  const none: RunPlan = { run, nodes: [], borders: [], directories: [] };
  const first = since[0] ?? 0;
  if (until <= ask.after || first >= ask.before) return none;
  const low = first <= ask.after ? since.findLastIndex((at) => at <= ask.after) : undefined;
  const high = until >= ask.before ? since.findLastIndex((at) => at < ask.before) : undefined;
  const cutOff = [...new Set([low, high])].filter((index) => index !== undefined);
  const name = (list: string, index: number): PartName => ({ runId, list, index });
  const [from, to] = [low ?? 0, high ?? since.length - 1];
  if (!isCopied(kind, ask)) {
    const borders = range(from, to + 1);
    return { ...none, borders, directories: borders.map((index) => name(timeList, index)) };
  }
  const order = ask.order as number;
  const top = highestLevel(blocks);
  const [inner, outer] = [low === undefined ? 0 : low + 1, high === undefined ? since.length : high];
  const nodes = nodesOf(inner * directoryBlocks, Math.min(outer * directoryBlocks, blocks), blocks, top);
  const withinBorder = range(1, Math.min(top, directoryLevel - 1) + 1);
  return {
    run,
    nodes,
    borders: cutOff,
    directories: [
      ...nodes.flatMap((node) =>
        directoriesOf(node).map((index) => name(orderList(order, node.level), index)),
      ),
      ...cutOff.flatMap((index) => [
        name(timeList, index),
        ...withinBorder.map((level) => name(orderList(order, level), index)),
      ]),
    ],
  };
}

/** Whether the order has sorted copies of its own; the others go by the list of time, with ids and counts of its blocks. */
function isCopied(kind: ListedKind, { order }: Ask): boolean {
  return typeof order === "number" && order >= kinds[kind].filters.length;
}

function directoriesOf({ first, last }: Node): number[] {
  return range(Math.floor(first / directoryBlocks), Math.ceil(last / directoryBlocks));
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}

/** The blocks of a run that may have something of the page, or count for what comes before it. */
export function blockGroups(
  kind: ListedKind,
  { run, nodes, borders }: RunPlan,
  ask: Ask,
  directory: (name: PartName) => Directory,
): BlockGroup[] {
  const { runId, blocks } = run;
  const { filters } = kinds[kind];
  const countable = [...ask.wanted, ...ask.unwanted].every(([index]) => index < filters.length);
  const byFilter = typeof ask.order === "number" && ask.order < filters.length;
  const copied = isCopied(kind, ask);
  const groups: BlockGroup[] = [];
  const read = (list: string, index: number): Rows => {
    const found = directory({ runId, list, index });
    const fitting = fittingOf(ask, found, byFilter);
    return { runId, list, base: index * directoryBlocks, directory: found, fitting, byFilter };
  };
  const add = (of: Rows, rows: readonly number[], exact: boolean, places: Places) => {
    for (let start = 0; start < rows.length; start += groupBlocks) {
      groups.push(...groupsOf(of, rows.slice(start, start + groupBlocks), exact && countable, places));
    }
  };
  const addNode = (node: Node) => {
    for (const index of directoriesOf(node)) {
      const of = read(orderList(ask.order as number, node.level), index);
      const [first, last] = [Math.max(of.base, node.first), Math.min(of.base + directoryBlocks, node.last)];
      add(of, range(first - of.base, last - of.base), true, sortedPlaces(of.directory));
    }
  };
  nodes.forEach(addNode);
  for (const border of borders) {
    const of = read(timeList, border);
    const times = sortedPlaces(of.directory);
    const [whole, partly]: [number[], number[]] = [[], []];
    for (const row of of.directory.firstValues.keys()) {
      const { from, to } = times.of(row, null);
      if (Number(to.value) <= ask.after || Number(from.value) >= ask.before) continue;
      const isInside = Number(from.value) > ask.after && Number(to.value) < ask.before;
      (isInside ? whole : partly).push(row);
    }
    const places = ask.order === "createdAt" ? times : copied ? anywhere : placesOfIds(of.directory);
    for (const row of partly) add(of, [row], false, places);
    if (!copied) {
      add(of, whole, true, places);
      continue;
    }
    const first = of.base + (whole[0] ?? 0);
    const level = Math.min(directoryLevel - 1, highestLevel(blocks));
    for (const node of nodesOf(first, first + whole.length, blocks, level)) {
      if (node.level > 0) addNode(node);
      else add(of, [node.first - of.base], true, anywhere);
    }
  }
  return groups;
}

/** What one directory tells of the rows that it has, one for each block. */
interface Rows {
  readonly runId: string;
  readonly list: string;
  readonly base: number;
  readonly directory: Directory;
  readonly fitting: readonly Fitting[];
  readonly byFilter: boolean;
}

/** Where the blocks of rows lie in the order: each, and several that follow one another. */
interface Places {
  readonly of: (row: number, value: Value) => { readonly from: Place; readonly to: Place };
  readonly ofAll: (rows: readonly number[], value: Value) => { readonly from: Place; readonly to: Place };
}

/** The groups of rows, one for each value where the order is a filter. */
function groupsOf(of: Rows, rows: readonly number[], exact: boolean, known: Places): BlockGroup[] {
  // Counts that are bounds hold for the whole order only: nobody knows how many lie before a place.
  const places = exact ? known : anywhere;
  const { runId, list, base, fitting, byFilter } = of;
  return fitting.flatMap(({ value, plus, minus }) => {
    const sum = (column: readonly number[]) => rows.reduce((all, row) => all + (column[row] ?? 0), 0);
    const counts = { plus: sum(plus), minus: sum(minus) };
    if (counts.plus === 0 && counts.minus === 0) return [];
    const blocks = () =>
      rows.flatMap((row): BlockRef[] => {
        const [more, less] = [plus[row] ?? 0, minus[row] ?? 0];
        if (more === 0 && less === 0) return [];
        const name = { runId, list, index: base + row };
        const counted = { ...places.of(row, value), plus: more, minus: less, exact };
        return [{ ...name, ...counted, ...(byFilter && { only: value }) }];
      });
    return [{ ...places.ofAll(rows, value), ...counts, exact, blocks }];
  });
}

const anywhere: Places = { of: () => ({ from: start, to: end }), ofAll: () => ({ from: start, to: end }) };

function sortedPlaces(directory: Directory): Places {
  const ends = endsOf(directory);
  const of = (row: number) => boundsOf(directory, ends, row);
  return {
    of,
    ofAll: (rows) => ({ from: of(rows[0] ?? 0).from, to: of(rows.at(-1) ?? 0).to }),
  };
}

function placesOfIds({ ids }: Directory): Places {
  const [froms, tos] = [ids?.from ?? [], ids?.to ?? []];
  return {
    of: (row, value) => ({ from: { value, id: froms[row] ?? "" }, to: { value, id: tos[row] ?? "" } }),
    ofAll: (rows, value) => {
      let [from, to] = [froms[rows[0] ?? 0] ?? "", ""];
      for (const row of rows) {
        from = (froms[row] ?? "") < from ? (froms[row] ?? "") : from;
        to = (tos[row] ?? "") > to ? (tos[row] ?? "") : to;
      }
      return { from: { value, id: from }, to: { value, id: to } };
    },
  };
}
