import { hourMs, monotonicMs, now } from "../platform/clock.ts";
import { newChangeId } from "../platform/id.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { leftMs } from "../platform/time-budget.ts";
import { type Entry, type List, retainedSince } from "./kind.ts";
import {
  changeManifest,
  isLeased,
  type Manifest,
  type Merge,
  type Progress,
  type RetiredSegment,
  readManifest,
} from "./manifest.ts";
import type { Run } from "./merged-runs.ts";
import { compareEntries } from "./page-spec.ts";
import { blockSize, countIndexes, type Segment, sumEntries, timeCopy } from "./segment.ts";
import {
  beginSegment,
  deleteSegment,
  type PartStore,
  runOfBlocks,
  runOfEntries,
  writeParts,
  writeSegment,
} from "./segment-writer.ts";
import { readBlocks, readIndexes } from "./store.ts";

/** How long expired records stay in a list, so that walking it by offset is not disturbed. */
const expiredMs = 10 * 24 * 3_600_000;

/**
 * How many segments of about the same size are merged into one, at least. With fewer, entries are
 * rewritten more often; with more, a page reads more segments.
 */
export const mergedSegments = 8;
const smallestTier = mergedSegments * 512;
/** At most: blocks of each are in memory. */
const mostMerged = 16;
/** How long replaced segments are kept for their readers. */
const readersMs = 300_000;
/** The stream waits for merges or deletions no longer. Its next batches go on with them. */
const sliceMs = 10_000;
/** What writing a sparse index and its blocks may take. */
const reserveMs = 5_000;

function beginSlice(): () => boolean {
  const endsAtMs = monotonicMs() + sliceMs;
  return () => monotonicMs() >= endsAtMs || leftMs() < reserveMs;
}

/** Segments of a size of which there are too many. */
export function segmentsToMerge(segments: readonly Segment[]): Segment[] {
  const tiers = [...Map.groupBy(segments, sizeTier)].toSorted(([one], [other]) => one - other);
  const full = tiers.find(([, { length }]) => length >= mergedSegments);
  return full?.[1].slice(0, mostMerged) ?? [];
}

function sizeTier({ entries }: Segment): number {
  return Math.max(0, Math.floor(Math.log(entries / smallestTier) / Math.log(mergedSegments)) + 1);
}

/**
 * First registers the segment as retired, so that a crash leaves no parts; the commit removes that.
 * Fails if the parts may be deleted, segments were replaced, or `change` returns undefined.
 */
export async function replaceSegments(
  list: List,
  entries: readonly Entry[],
  replaced: readonly Segment[],
  change: (manifest: Manifest) => Manifest | undefined,
  alongside: readonly WriteAction[] = [],
): Promise<boolean> {
  const sorted = sumEntries(entries).toSorted(compareEntries("createdAt"));
  let progress = beginSegment(newChangeId());
  const { segmentId } = progress.segment;
  const note = { segmentId, blocks: Math.ceil(sorted.length / blockSize), dueAt: inAnHour() };
  const noted = await changeManifest(list, (manifest) => ({
    ...manifest,
    retired: [...manifest.retired, note],
  }));
  if (!noted) return false;
  for await (progress of writeSegment(partStore(list), progress, [runOfEntries(sorted)]));
  const ids = replaced.map((one) => one.segmentId);
  return commitSegment(list, progress.segment, ids, change, alongside);
}

function partStore(list: List): PartStore {
  return {
    kind: list.kind,
    write: (parts) => writeParts(list, parts),
    blocks: (names) => readBlocks(list, names),
    indexes: (names) => readIndexes(list, names),
  };
}

function inAnHour(): number {
  return now().getTime() + hourMs;
}

/** The manifest names the segment in place of others. */
async function commitSegment(
  list: List,
  segment: Segment,
  replaced: readonly string[],
  change: (manifest: Manifest) => Manifest | undefined,
  alongside: readonly WriteAction[] = [],
): Promise<boolean> {
  const isReplaced = ({ segmentId }: Segment) => replaced.includes(segmentId);
  const commit = (manifest: Manifest): Manifest | undefined => {
    const changed = change(manifest);
    const noteNow = manifest.retired.find(({ segmentId }) => segmentId === segment.segmentId);
    if (!changed || !noteNow || noteNow.deleting) return undefined;
    const old = manifest.segments.filter(isReplaced);
    if (old.length < replaced.length) return undefined;
    const dueAt = now().getTime() + readersMs;
    return {
      ...changed,
      segments: [
        ...manifest.segments.filter((other) => !isReplaced(other)),
        ...(segment.entries > 0 ? [segment] : []),
      ],
      retired: [
        ...manifest.retired.filter((one) => one !== noteNow),
        ...old.map(({ segmentId, blocks }) => ({ segmentId, blocks, dueAt })),
      ],
    };
  };
  return (await changeManifest(list, commit, alongside)) !== undefined;
}

const unlessLeased = (manifest: Manifest) => (isLeased(manifest) ? undefined : manifest);

/**
 * Drops expired segments, and merges segments until few of each size remain, the smallest first.
 * Merges that take longer are left to the next call. Returns a manifest with the segments.
 */
export async function mergeSegments(list: List, known: Manifest): Promise<Manifest> {
  const isOver = beginSlice();
  let manifest = known;
  while (leftMs() >= reserveMs && !isLeased(manifest) && (await mergeOnce(list, manifest, isOver))) {
    manifest = await readManifest(list);
    if (isOver()) break;
  }
  return manifest;
}

/** Returns whether more may be merged. */
async function mergeOnce(list: List, manifest: Manifest, isOver: () => boolean): Promise<boolean> {
  const since = Math.max(0, retainedSince(list.kind, now().getTime() - expiredMs));
  const merging = manifest.retired.flatMap((note) => (canGoOn(manifest, note) ? [note] : []));
  const busy = new Set(merging.flatMap(({ merge }) => merge.merged));
  const free = manifest.segments.filter(({ segmentId }) => !busy.has(segmentId));
  const expired = free.filter(({ until }) => until < since);
  if (expired.length > 0) return replaceSegments(list, [], expired, unlessLeased);
  const merged = segmentsToMerge(free);
  const [smallest] = merging.toSorted((one, other) => one.blocks - other.blocks);
  const blocks = merged.reduce((sum, segment) => sum + segment.blocks, 0);
  if (smallest && (blocks === 0 || smallest.blocks <= blocks)) return goOn(list, manifest, smallest, isOver);
  if (blocks === 0) return false;
  const begun = await beginMerge(list, merged, since);
  return begun !== undefined && goOn(list, begun.manifest, begun.note, isOver);
}

type MergeNote = RetiredSegment & { readonly merge: Merge };

/** Whether a segment is a merge of segments that the list still has. */
function canGoOn({ segments }: Manifest, note: RetiredSegment): note is MergeNote {
  const { merge, deleting } = note;
  if (!merge || deleting) return false;
  return merge.merged.every((id) => segments.some(({ segmentId }) => segmentId === id));
}

async function beginMerge(list: List, segments: readonly Segment[], since: number) {
  const progress = beginSegment(newChangeId());
  const merged = segments.map(({ segmentId }) => segmentId);
  const blocks = segments.reduce((sum, segment) => sum + segment.blocks, 0);
  const { segmentId } = progress.segment;
  const note: MergeNote = { segmentId, blocks, dueAt: inAnHour(), merge: { merged, since, progress } };
  const manifest = await changeManifest(list, (current) =>
    !isLeased(current) &&
    canGoOn(current, note) &&
    !current.retired.some(
      (other) => canGoOn(current, other) && other.merge.merged.some((id) => merged.includes(id)),
    )
      ? { ...current, retired: [...current.retired, note] }
      : undefined,
  );
  return manifest && { manifest, note };
}

/** Merges until it is done or over; then saves how far it is. Two of them write the same. */
async function goOn(
  list: List,
  { segments }: Manifest,
  { segmentId, merge }: MergeNote,
  isOver: () => boolean,
): Promise<boolean> {
  const store = partStore(list);
  const { merged, since } = merge;
  const runs = merged.flatMap((id) => {
    const { blocks = 0 } = segments.find((one) => one.segmentId === id) ?? {};
    const run = runOfBlocks(store, { segmentId: id, copy: timeCopy, first: 0, last: blocks });
    return [since === 0 ? run : withoutOlder(run, since)];
  });
  let { progress } = merge;
  for await (progress of writeSegment(store, progress, runs)) {
    if (!isOver()) continue;
    await saveProgress(list, segmentId, merge.progress, progress);
    return false;
  }
  return commitSegment(list, progress.segment, merged, unlessLeased);
}

/** The same run, in which older entries do not count. */
function withoutOlder(run: Run, since: number): Run {
  return async (from) =>
    (await run(from)).map((entry) => (entry.createdAt < since ? { ...entry, weight: 0 } : entry));
}

/** Unless another process has gone on from there meanwhile. */
async function saveProgress(list: List, segmentId: string, from: Progress, to: Progress): Promise<void> {
  await changeManifest(list, (manifest) => {
    const note = manifest.retired.find((one) => one.segmentId === segmentId);
    const known = note?.merge?.progress;
    if (!note?.merge || note.deleting || known?.step !== from.step || known.indexes !== from.indexes)
      return undefined;
    const saved = { ...note, dueAt: inAnHour(), merge: { ...note.merge, progress: to } };
    return { ...manifest, retired: manifest.retired.map((one) => (one === note ? saved : one)) };
  });
}

/** Deletes retired segments once no reader, compaction or merge uses them. */
export async function deleteRetired(list: List, known: Manifest): Promise<void> {
  const isDue = (manifest: Manifest, one: RetiredSegment) =>
    one.dueAt <= now().getTime() && !canGoOn(manifest, one);
  if (!known.retired.some((one) => isDue(known, one))) return;
  const marked = await changeManifest(list, (manifest) =>
    manifest.retired.some((one) => isDue(manifest, one))
      ? {
          ...manifest,
          retired: manifest.retired.map((one) => (isDue(manifest, one) ? { ...one, deleting: true } : one)),
        }
      : undefined,
  );
  const deleted = new Map<string, number>();
  const isOver = beginSlice();
  for (const segment of marked?.retired.filter(({ deleting }) => deleting) ?? []) {
    deleted.set(segment.segmentId, segment.deleted ?? 0);
    for await (const indexes of deleteSegment(list, segment, segment.deleted ?? 0)) {
      deleted.set(segment.segmentId, indexes);
      if (isOver()) break;
    }
    if (isOver()) break;
  }
  if (deleted.size === 0) return;
  const isDeleted = ({ segmentId, blocks }: RetiredSegment) =>
    (deleted.get(segmentId) ?? -1) >= countIndexes(blocks);
  await changeManifest(list, (manifest) => ({
    ...manifest,
    retired: manifest.retired
      .filter((one) => !isDeleted(one))
      .map((one) => ({ ...one, ...(deleted.has(one.segmentId) && { deleted: deleted.get(one.segmentId) }) })),
  }));
}
