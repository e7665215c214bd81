import type { Ask } from "./ask.ts";
import { type Directory, directoryBlocks } from "./directory.ts";
import { groupRows, type Places, type Rows, rowsOf } from "./directory-rows.ts";
import { end, type Place, start, type Value } from "./entry.ts";
import { kinds, type ListedKind } from "./listed-kind.ts";
import { type Node, nodesOf, orderList, timeList } from "./run.ts";
import { borderLevel, directoriesOf, isCopied, type PartName, type RunPlan } from "./run-plan.ts";

/** Between which places something lies, without the second, and how many entries of it fit the filters. */
export interface Extent {
  readonly from: Place;
  readonly to: Place;
  readonly plus: number;
  readonly minus: number;
}

/** Whether all of its blocks lie in the span of time: then the counts are exact; otherwise they are bounds, and the blocks have to be read. */
export interface Inside {
  readonly isInside: boolean;
}

/** A block as the directories tell of it. */
export interface BlockRef extends PartName, Extent, Inside {
  /** Whether its entries are to be taken away, since a larger node has them that the page is not about. */
  readonly isTaken: boolean;
  /** Where the order is a filter: only entries with this value are meant. */
  readonly only?: Value;
}

/** Blocks that stand together: where the page is not near them, nobody has to look at each. */
export interface BlockGroup extends Extent, Inside {
  readonly blocks: () => readonly BlockRef[];
}

/** How rows are meant. */
interface Meaning extends Inside {
  readonly isTaken: boolean;
  readonly places: Places;
}

/** The blocks of a run that may have something of the page, or count for what comes before it. */
export function blockGroups(
  kind: ListedKind,
  { run, nodes, borders }: RunPlan,
  ask: Ask,
  directory: (name: PartName) => Directory,
): BlockGroup[] {
  const { runId, blocks } = run;
  const byFilter = typeof ask.order === "number" && ask.order < kinds[kind].filters.length;
  const copied = isCopied(kind, ask);
  const groups: BlockGroup[] = [];
  const read = (list: string, index: number) =>
    rowsOf({ runId, list, index }, directory({ runId, list, index }), ask, byFilter);
  /** Rows from `first` up to `last`, cut where the sums of rows are known. */
  const add = (rows: Rows, first: number, last: number, meaning: Meaning) => {
    for (let from = first; from < last; ) {
      const to = Math.min(last, (Math.floor(from / groupRows) + 1) * groupRows);
      groups.push(...groupsOf(rows, from, to, meaning));
      from = to;
    }
  };
  const addNode = (node: Node) => {
    const { isTaken } = node;
    for (const index of directoriesOf(node)) {
      const rows = read(orderList(ask.order as number, node.level), index);
      const base = index * directoryBlocks;
      const [first, last] = [Math.max(base, node.first), Math.min(base + directoryBlocks, node.last)];
      add(rows, first - base, last - base, { isTaken, isInside: true, places: rows.sortedPlaces });
    }
  };
  nodes.forEach(addNode);
  for (const border of borders) {
    const rows = read(timeList, border);
    const { sortedPlaces: times } = rows;
    const { whole, partly } = rowsInside(rows, ask);
    const [first, last] = whole;
    const places = ask.order === "createdAt" ? times : copied ? anywhere : rows.placesOfIds;
    for (const row of partly) {
      // Counts that are bounds hold for the whole order only: nobody knows how many lie before a place.
      add(rows, row, row + 1, { isTaken: false, isInside: false, places: anywhere });
    }
    if (!copied) {
      add(rows, first, last, { isTaken: false, isInside: true, places });
      continue;
    }
    const base = border * directoryBlocks;
    for (const node of nodesOf(base + first, base + last, blocks, borderLevel(run))) {
      if (node.level > 0) addNode(node);
      else add(rows, node.first - base, node.last - base, { isTaken: node.isTaken, isInside: true, places });
    }
  }
  return groups;
}

/** Which rows of a directory of times lie in the span of time: those that do so whole follow one another. */
function rowsInside({ length, sortedPlaces }: Rows, { after, before }: Ask) {
  const lies = (first: number, last: number) => {
    const { from, to } = sortedPlaces.ofAll(first, last, null);
    const [begin, end] = [Number(from.value), Number(to.value)];
    if (end <= after || begin >= before) return "outside";
    return begin > after && end < before ? "inside" : "partly";
  };
  if (lies(0, length) === "inside") return { whole: [0, length] as const, partly: [] };
  const [whole, partly]: [number[], number[]] = [[], []];
  for (let row = 0; row < length; row += 1) {
    const where = lies(row, row + 1);
    if (where !== "outside") (where === "inside" ? whole : partly).push(row);
  }
  return { whole: [whole[0] ?? 0, (whole.at(-1) ?? -1) + 1] as const, partly };
}

/** The groups of rows, one for each value where the order is a filter. */
function groupsOf(rows: Rows, first: number, last: number, meaning: Meaning): BlockGroup[] {
  const { isTaken, isInside, places } = meaning;
  const { name, fitting, byFilter } = rows;
  const counted = (added: number, withdrawn: number) =>
    isTaken ? { plus: withdrawn, minus: added } : { plus: added, minus: withdrawn };
  return fitting.flatMap(({ value, added, withdrawn }) => {
    const counts = counted(added.sum(first, last), withdrawn.sum(first, last));
    if (counts.plus === 0 && counts.minus === 0) return [];
    const blocks = () =>
      Array.from({ length: last - first }, (_, index) => first + index).flatMap((row): BlockRef[] => {
        const { plus, minus } = counted(added.at(row), withdrawn.at(row));
        if (plus === 0 && minus === 0) return [];
        const block = { ...name, index: name.index * directoryBlocks + row, isInside, isTaken };
        return [{ ...block, ...places.of(row, value), plus, minus, ...(byFilter && { only: value }) }];
      });
    return [{ ...places.ofAll(first, last, value), ...counts, isInside, blocks }];
  });
}

const anywhere: Places = { of: () => ({ from: start, to: end }), ofAll: () => ({ from: start, to: end }) };
