import { atMost, isNew } from "../platform/table/condition.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import {
  type ControlScope,
  type ControlUsage,
  getSince,
  graceMs,
  isLive,
  type Period,
  type Usage,
  usages,
} from "./usage.ts";

type Cell = ControlUsage["cells"][string][number];

/** What one period counts more, or less, at its place in the stored list. */
interface Added {
  readonly path: string;
  readonly amount: number;
  readonly count: number;
  readonly period: Period;
}

/** What each write adds to what its limit has counted. */
const addedByWrites = new WeakMap<WriteAction, number>();

export function addedToLimit(write: WriteAction): number {
  return addedByWrites.get(write) ?? 0;
}

/**
 * Counts beside others that do so at once: a condition of the write asks only whether the limit
 * leaves enough. A period that begins or is forgotten needs the usage as it was read.
 */
export function countInLimit(
  programId: string,
  { ownerId, controls: [control] }: ControlScope,
  seen: Usage | undefined,
  after: Usage,
  atMs: number,
): WriteAction {
  if (!control) throw new Error("A limit counts by its own control.");
  const { controlId, velocity } = control;
  const since = String(getSince(control));
  const item = usages.limit.at(programId, ownerId);
  const usageAfter = after.controls[controlId];
  const addedMinor = total(usageAfter, since) - total(seen?.controls[controlId], since);
  const added = findAdded(seen, after, controlId, since);
  const write = added
    ? item.update(
        { increase: toIncrease(added, addedMinor, atMs) },
        {
          layout: seen?.layout,
          ...boundBy(velocity?.amount, seen?.controls[controlId], since, addedMinor, atMs),
        },
      )
    : item.put(
        {
          ...after,
          version: (seen?.version ?? 0) + 1,
          layout: (seen?.layout ?? 0) + 1,
          totalMinor: total(usageAfter, since),
        },
        seen ? { version: seen.version } : isNew,
      );
  addedByWrites.set(write, addedMinor);
  return write;
}

function total(usage: ControlUsage | undefined, since: string): number {
  return sum(usage?.cells[since] ?? []);
}

function sum(cells: readonly Cell[]): number {
  return cells.reduce((all, { amount }) => all + amount, 0);
}

/** Undefined unless nothing else has changed than what periods of the present limit count. */
function findAdded(seen: Usage | undefined, after: Usage, controlId: string, since: string) {
  const before = seen?.controls[controlId];
  const now = after.controls[controlId];
  if (seen?.layout === undefined || !before || !now || before.since !== now.since) return undefined;
  const [cells = [], changed = []] = [before.cells[since], now.cells[since]];
  const isOnlyLimit = [seen.controls, before.cells, after.controls, now.cells].every(
    (all) => Object.keys(all).length === 1,
  );
  if (!isOnlyLimit || cells.length !== changed.length) return undefined;
  const added = cells.flatMap((cell, place): Added[] => {
    const own = changed.find(({ from }) => from === cell.from);
    if (!own) return [];
    const path = `controls.${controlId}.cells.${since}[${place}]`;
    return [{ path, amount: own.amount - cell.amount, count: own.count - cell.count, period: cell }];
  });
  return added.length === cells.length ? added : undefined;
}

function toIncrease(added: readonly Added[], totalMinor: number, atMs: number) {
  const changes = added.filter(({ amount, count }) => amount !== 0 || count !== 0);
  // Another process may take it for over, and may have left it out of what the limit has counted.
  const mayBeOver = changes.some(({ period }) => !isLive(period, atMs + graceMs));
  const parts = changes.flatMap(({ path, amount, count }) => [
    ...(amount === 0 ? [] : [[`${path}.amount`, amount] as const]),
    ...(count === 0 ? [] : [[`${path}.count`, count] as const]),
  ]);
  return { version: 1, totalMinor, ...(mayBeOver && { layout: 1 }), ...Object.fromEntries(parts) };
}

/**
 * What is within the limit stays so, whatever others count meanwhile. What was above it as it was
 * decided cannot be declined.
 */
function boundBy(
  limitMinor: number | undefined,
  usage: ControlUsage | undefined,
  since: string,
  addedMinor: number,
  atMs: number,
) {
  const cells = usage?.cells[since] ?? [];
  const overMinor = sum(cells.filter((cell) => !isLive(cell, atMs)));
  if (limitMinor === undefined || addedMinor <= 0 || sum(cells) - overMinor + addedMinor > limitMinor)
    return {};
  return { totalMinor: atMost(limitMinor + overMinor - addedMinor) };
}
