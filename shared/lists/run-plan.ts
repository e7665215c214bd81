import type { Ask } from "./ask.ts";
import { directoryBlocks } from "./directory.ts";
import { kinds, type ListedKind } from "./listed-kind.ts";
import { directoryLevel, highestLevel, type Node, nodesOf, orderList, type Run, timeList } from "./run.ts";

/** The name of a block or a directory within its run. */
export interface PartName {
  readonly runId: string;
  readonly list: string;
  readonly index: number;
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
  const [inner, outer] = [low === undefined ? 0 : low + 1, high === undefined ? since.length : high];
  const nodes = nodesOf(
    inner * directoryBlocks,
    Math.min(outer * directoryBlocks, blocks),
    blocks,
    highestLevel(blocks),
  );
  const withinBorder = range(1, borderLevel(run) + 1);
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

/** The highest level of the nodes within one directory. */
export function borderLevel({ blocks }: Run): number {
  return Math.min(directoryLevel, highestLevel(blocks));
}

/** Whether the order has sorted copies of its own; the others go by the list of time, with ids and counts of its blocks. */
export function isCopied(kind: ListedKind, { order }: Ask): boolean {
  return typeof order === "number" && order >= kinds[kind].filters.length;
}

/** The directories that speak of a node's blocks. */
export function directoriesOf({ first, last }: Node): number[] {
  return range(Math.floor(first / directoryBlocks), Math.ceil(last / directoryBlocks));
}

function range(from: number, to: number): number[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index);
}
