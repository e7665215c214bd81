import { type Ask, fittingOf } from "./ask.ts";
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

/** A block as the directories tell of it: what fits lies from `from` up to `to`, without that. */
export interface BlockRef extends PartName {
  readonly from: Place;
  readonly to: Place;
  readonly plus: number;
  readonly minus: number;
  /** Whether the counts are exact; otherwise they are bounds, and the block has to be read. */
  readonly exact: boolean;
  /** Where the order is a filter: only entries with this value are meant. */
  readonly only?: Value;
}

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
export function blockRefs(
  kind: ListedKind,
  { run, nodes, borders }: RunPlan,
  ask: Ask,
  directory: (name: PartName) => Directory,
): BlockRef[] {
  const { runId, blocks } = run;
  const { filters } = kinds[kind];
  const countable = [...ask.wanted, ...ask.unwanted].every(([index]) => index < filters.length);
  const read = (list: string, index: number) => {
    const found = directory({ runId, list, index });
    const byFilter = typeof ask.order === "number" && ask.order < filters.length;
    return { directory: found, ends: endsOf(found), fitting: fittingOf(ask, found, byFilter) };
  };
  const refs: BlockRef[] = [];
  const add = (list: string, of: ReturnType<typeof read>, index: number, row: number, found: Bounds) => {
    for (const { value, plus, minus } of of.fitting) {
      const [more, less] = [plus[row] ?? 0, minus[row] ?? 0];
      if (more === 0 && less === 0) continue;
      const exact = found.exact && countable;
      const bounds = found.bounds(value);
      refs.push({
        runId,
        list,
        index,
        ...bounds,
        plus: more,
        minus: less,
        exact,
        ...(found.only && { only: value }),
      });
    }
  };
  const addNode = (node: Node) => {
    const list = orderList(ask.order as number, node.level);
    for (const index of directoriesOf(node)) {
      const of = read(list, index);
      const base = index * directoryBlocks;
      for (
        let block = Math.max(base, node.first);
        block < Math.min(base + directoryBlocks, node.last);
        block += 1
      ) {
        const bounds = boundsOf(of.directory, of.ends, block - base);
        add(list, of, block, block - base, { exact: true, bounds: () => bounds });
      }
    }
  };
  nodes.forEach(addNode);
  for (const border of borders) {
    const of = read(timeList, border);
    const base = border * directoryBlocks;
    const copied = isCopied(kind, ask);
    const whole: number[] = [];
    for (const row of of.directory.firstValues.keys()) {
      const { from, to } = boundsOf(of.directory, of.ends, row);
      if (Number(to.value) <= ask.after || Number(from.value) >= ask.before) continue;
      const inside = Number(from.value) > ask.after && Number(to.value) < ask.before;
      if (copied && inside) whole.push(row);
      else
        add(
          timeList,
          of,
          base + row,
          row,
          copied ? anywhere(false) : boundsInTime(of.directory, row, ask, inside, { from, to }),
        );
    }
    const first = base + (whole[0] ?? 0);
    for (const node of nodesOf(
      first,
      first + whole.length,
      blocks,
      Math.min(directoryLevel - 1, highestLevel(blocks)),
    )) {
      if (node.level > 0) addNode(node);
      else add(timeList, of, node.first, node.first - base, anywhere(true));
    }
  }
  return refs;
}

/** Where the entries of a block stand in the order, as far as it is known. */
interface Bounds {
  readonly exact: boolean;
  readonly only?: boolean;
  readonly bounds: (value: Value) => { readonly from: Place; readonly to: Place };
}

const anywhere = (exact: boolean): Bounds => ({ exact, bounds: () => ({ from: start, to: end }) });

function boundsInTime(
  { ids }: Directory,
  row: number,
  { order }: Ask,
  exact: boolean,
  bounds: { from: Place; to: Place },
): Bounds {
  if (order === "createdAt") return { exact, bounds: () => bounds };
  const [from, to] = [ids?.from[row] ?? "", ids?.to[row] ?? ""];
  return {
    exact,
    only: order !== "id",
    bounds: (value) => ({ from: { value, id: from }, to: { value, id: to } }),
  };
}
