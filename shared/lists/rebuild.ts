import { hourMs, now } from "../platform/clock.ts";
import { earliestChangeId } from "../platform/id.ts";
import { withinTime } from "../platform/time-budget.ts";
import { settleMs } from "./compaction.ts";
import { type ChangeRow, changedEntries, type Entry, type List, retainedSince, toTombstone } from "./kind.ts";
import { rewriteMissedChanges } from "./late-changes.ts";
import { changeManifest, readManifest } from "./manifest.ts";
import { replaceSegments } from "./merges.ts";
import { range, type Segment, sumEntries, timeCopy } from "./segment.ts";
import { readBlocks, readChanges, SegmentDeletedError } from "./store.ts";

/** Reads all records of a list, as entries. It may take long, while records change. */
type ReadRecords = () => Promise<readonly Entry[]>;

/**
 * Compares a list with its records: missing entries have positive weights, surplus ones are
 * tombstones. Skips records that change meanwhile, and expired ones.
 */
export async function checkList(list: List, readRecords: ReadRecords): Promise<Entry[]> {
  const begun = earliestChangeId(new Date(now().getTime() - settleMs));
  const before = await readChanges(list, begun);
  const entries = await readAllEntries(list);
  const records = await readRecords();
  const changed = changedIds(await readChanges(list, begun), before);
  const since = retainedSince(list.kind, now().getTime());
  const differences = sumEntries([...records, ...entries.map(toTombstone)]);
  return differences.filter(({ id, createdAt }) => !changed.has(id) && createdAt >= since);
}

/**
 * Rebuilds a list's segments from its records while it is in use. Records that change meanwhile,
 * even back, stay as in the old segments. A one-hour lease stops compactions. Missed changes are
 * rewritten before and after the read, so that none is both in its record and still to arrive.
 * @returns false if another rebuild began meanwhile
 */
export function rebuildList(list: List, readRecords: ReadRecords): Promise<boolean> {
  // A busy list is worth more retries than a request has: its lease is lost otherwise.
  return withinTime(hourMs, () => rebuildWithLease(list, readRecords));
}

async function rebuildWithLease(list: List, readRecords: ReadRecords): Promise<boolean> {
  const leasedUntil = now().getTime() + hourMs;
  const leased = await changeManifest(list, (manifest) => ({
    ...manifest,
    leasedUntil,
    leases: (manifest.leases ?? 0) + 1,
  }));
  if (!leased) return false;
  const { watermark, segments } = leased;
  await rewriteMissedChanges(list);
  const before = await readChanges(list, watermark);
  const records = await readRecords();
  await rewriteMissedChanges(list, earliestChangeId(new Date(leasedUntil - 2 * hourMs)));
  const changed = changedIds(await readChanges(list, watermark), before);
  const old = await readSegments(list, segments).catch((error: unknown) => {
    if (error instanceof SegmentDeletedError) return [];
    throw error;
  });
  const compacted = sumEntries([...records, ...before.flatMap(changedEntries).map(toTombstone)]);
  const entries = [
    ...compacted.filter(({ id }) => !changed.has(id)),
    ...old.filter(({ id }) => changed.has(id)),
  ];
  return replaceSegments(list, entries, segments, (manifest) =>
    manifest.leasedUntil === leasedUntil && manifest.watermark === watermark
      ? { ...manifest, leasedUntil: undefined }
      : undefined,
  );
}

export async function readAllEntries(list: List): Promise<Entry[]> {
  const { segments, watermark } = await readManifest(list);
  const [compacted, recent] = await Promise.all([readSegments(list, segments), readChanges(list, watermark)]);
  return sumEntries([...compacted, ...recent.flatMap(changedEntries)]);
}

async function readSegments(list: List, segments: readonly Segment[]): Promise<Entry[]> {
  const names = segments.flatMap(({ segmentId, blocks }) =>
    range(0, blocks).map((index) => ({ segmentId, copy: timeCopy, index })),
  );
  return (await readBlocks(list, names)).flatMap((block) => block.entries());
}

/** The ids of the records that new rows change. */
function changedIds(rows: readonly ChangeRow[], before: readonly ChangeRow[]): Set<string> {
  const known = new Set(before.map(({ sk }) => sk));
  const added = rows.filter(({ sk }) => !known.has(sk));
  return new Set(added.flatMap(changedEntries).map(({ id }) => id));
}
