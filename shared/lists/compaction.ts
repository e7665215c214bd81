import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { now, pause } from "../platform/clock.ts";
import { type Deadline, defineDeadline } from "../platform/deadlines.ts";
import { environment } from "../platform/environment.ts";
import { earliestChangeId, newChangeId, withoutPrefix } from "../platform/id.ts";
import { table } from "../platform/table/client.ts";
import { isNew } from "../platform/table/condition.ts";
import { afterAll, declareKey } from "../platform/table/keys.ts";
import { Conflict, retryDecision } from "../platform/table/retry.ts";
import { transact, type WriteAction } from "../platform/table/transact.ts";
import { isTimeUp } from "../platform/time-budget.ts";
import {
  type ChangeRow,
  changedEntries,
  type Entry,
  expiredMs,
  type List,
  listPrefix,
  retainedSince,
} from "./entry.ts";
import { compareEntries } from "./page-spec.ts";
import { pack, type Segment, sumEntries } from "./segment.ts";
import { deleteSegment, newSegment, writeSegment } from "./segment-writer.ts";
import {
  changeRows,
  isLeased,
  type Manifest,
  manifests,
  ownChanges,
  type RetiredSegment,
  readManifest,
  readSegments,
  withoutRewritten,
} from "./store.ts";

/** The ids of the changes that one compaction took, up to `before`. */
export const compactedKey = declareKey("compacted changes", (list: List, before: string) => ({
  pk: `${listPrefix(list)}#COMPACTED`,
  sk: before,
}));

/** The age at which changes are compacted. Changes that commit later count as late. */
export const settleMs = 10_000;
const usualMinimum = 512;
const maximumChanges = 10_000;
/** How many segments of about the same size are merged into one. */
const mergedSegments = 4;
const smallestTier = mergedSegments * usualMinimum;
/** The most entries that a merge may hold in memory. Larger segments stay side by side. */
const maximumMergedEntries = 1_000_000;
const hourMs = 3_600_000;
/** How long replaced segments are kept for their readers. */
const readersMs = 300_000;
/** The most compactions of one call. The stream triggers the next call. */
const maximumCompactions = 20;

/**
 * Compacts settled changes, and merges segments until few of each size remain. Safe to repeat and
 * run concurrently: only the manifest's conditional commit replaces anything.
 * @param arrived the changes of a batch: the call ends once they are compacted
 */
export async function compactList(
  list: List,
  settle = () => pause(settleMs),
  arrived: readonly Pick<ChangeRow, "sk">[] = [{ sk: afterAll }],
): Promise<void> {
  const newest = arrived.map(({ sk }) => sk).reduce((one, other) => (one > other ? one : other));
  const settled = settledNow();
  const isEnough = arrived.filter(({ sk }) => sk >= settled).length >= minimumChanges(list);
  let hasWaited = false;
  let manifest = await readManifest(list);
  for (let count = 0; count < maximumCompactions; count += 1) {
    requireTime();
    // The batch alone will be enough: a read before it has settled would only be repeated.
    const mustWait = isEnough && !hasWaited && !isLeased(manifest);
    const outcome = mustWait ? "unsettled" : await compactChanges(list, manifest, newest);
    if (outcome === "compacted") manifest = await readManifest(list);
    while (await mergeSegments(list, manifest)) {
      requireTime();
      manifest = await readManifest(list);
    }
    if (outcome === "done" || (outcome === "unsettled" && hasWaited)) break;
    if (outcome === "unsettled") {
      hasWaited = true;
      await settle();
      manifest = await readManifest(list);
    }
  }
  if (manifest.retired.some(isDue)) await deleteRetired(list);
}

/** Fails before Lambda ends the invocation: the stream repeats the batch. */
function requireTime(): void {
  if (isTimeUp()) throw new Error("The time for compactions is up.");
}

/**
 * Compacts settled changes if there are enough. Else returns "unsettled" if there will be soon, and
 * `newest` is among those that still settle.
 */
async function compactChanges(
  list: List,
  manifest: Manifest,
  newest: string,
): Promise<"compacted" | "unsettled" | "done"> {
  if (isLeased(manifest) || manifest.watermark > newest) return "done";
  // Taken before reading: what commits while a slow shard is read has not settled.
  const settled = settledNow();
  const { rows, until } = await readFirstChanges(list, manifest.watermark);
  const bound = until < settled ? until : settled;
  // A page of records that the list leaves out is passed by an empty compaction.
  const isFull = until < settled;
  if (!isFull && rows.filter(({ sk }) => sk < bound).length < minimumChanges(list)) {
    return rows.length < minimumChanges(list) || newest < settled ? "done" : "unsettled";
  }
  await commitChanges(list, manifest, rows, bound);
  return "compacted";
}

/**
 * Moves the watermark past a change by compacting settled changes, and returns it. Does nothing to
 * a leased list: the lease already fails every earlier compaction.
 * @throws ContendedError when the time for retries is up
 */
export function compactPast(list: List, changeId: string): Promise<string> {
  return retryDecision(async () => {
    const manifest = await readManifest(list);
    if (manifest.watermark > changeId || isLeased(manifest)) return manifest.watermark;
    const settled = settledNow();
    if (settled > changeId) {
      const { rows, until } = await readFirstChanges(list, manifest.watermark);
      await commitChanges(list, manifest, rows, until < settled ? until : settled);
    }
    return new Conflict("compaction");
  });
}

const month = 30 * 24 * hourMs;

/** When riding rows that nothing has compacted are: long before they expire. */
export const ridingDeadline = defineDeadline("compact_changes", "bulk");

export function nextRidingDeadline(programId: string, at: Date): Deadline {
  const dueAt = new Date(at.getTime() + month);
  return ridingDeadline.at({ ownerId: programId, deadlineId: `changes:${programId}`, dueAt });
}

/** Compacts changes that are a month old, however few they are. */
export async function compactOldChanges(list: List): Promise<void> {
  const recent = earliestChangeId(new Date(now().getTime() - month));
  const { watermark } = await readManifest(list);
  const { rows } = await readFirstChanges(list, watermark);
  if (rows.some(({ sk }) => sk < recent)) await compactPast(list, recent);
}

/** Fewer settled changes than this stay as they are: reading them one by one is cheap. */
const minimumChanges = ({ kind }: List): number => kind.minimumChanges ?? usualMinimum;

function settledNow(): string {
  return earliestChangeId(new Date(now().getTime() - settleMs));
}

/** Commits the changes before `bound`, or as many as one compaction takes, as a segment. */
async function commitChanges(
  list: List,
  { watermark, leases }: Manifest,
  rows: readonly ChangeRow[],
  bound: string,
): Promise<void> {
  const sorted = rows.filter(({ sk }) => sk < bound).toSorted((left, right) => (left.sk < right.sk ? -1 : 1));
  const until = sorted[maximumChanges]?.sk ?? bound;
  const compacted = sorted.slice(0, maximumChanges);
  const advance = (manifest: Manifest) =>
    manifest.watermark === watermark && manifest.leases === leases
      ? { ...manifest, watermark: until }
      : undefined;
  await replaceSegments(list, compacted.flatMap(changedEntries), [], advance, [
    compactedPut(list, watermark, until, compacted),
  ]);
}

/** Records which changes were compacted: a change that is not among them came too late. */
function compactedPut(list: List, since: string, until: string, rows: readonly ChangeRow[]): WriteAction {
  return {
    name: "compacted",
    Put: {
      TableName: environment.issuingTable,
      Item: { ...compactedKey(list, until), since, body: pack(rows.map(({ sk }) => sk)) },
      ConditionExpression: "attribute_not_exists(pk)",
    },
  };
}

/** Drops expired segments, or merges segments of one size. Returns whether it did. */
async function mergeSegments(list: List, manifest: Manifest): Promise<boolean> {
  if (isLeased(manifest)) return false;
  const since = retainedSince(list.kind, now().getTime() - expiredMs);
  const expired = manifest.segments.filter(({ until }) => until < since);
  const replaced = expired.length > 0 ? expired : segmentsToMerge(manifest.segments);
  if (replaced.length === 0) return false;
  const entries = expired.length > 0 ? [] : await readSegments(list, replaced);
  const retained = entries.filter(({ createdAt }) => createdAt >= since);
  return replaceSegments(list, retained, replaced, (current) => (isLeased(current) ? undefined : current));
}

/** Segments of a size of which there are too many; no more of them than fit into memory. */
export function segmentsToMerge(segments: readonly Segment[]): Segment[] {
  const mergeable = segments.filter(({ entries }) => entries * mergedSegments <= maximumMergedEntries);
  const tiers = [...Map.groupBy(mergeable, sizeTier).values()];
  const full = tiers.find(({ length }) => length >= mergedSegments) ?? [];
  let sum = 0;
  return full.filter(({ entries }) => {
    sum += entries;
    return sum <= maximumMergedEntries;
  });
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
  const segment = newSegment(newChangeId(), sorted);
  const { segmentId, blocks } = segment;
  const note = { segmentId, blocks, dueAt: now().getTime() + hourMs };
  const noted = await changeManifest(list, (manifest) => ({
    ...manifest,
    retired: [...manifest.retired, note],
  }));
  if (!noted) return false;
  await writeSegment(list, segment, sorted);
  const isReplaced = (other: Segment) => replaced.some((one) => one.segmentId === other.segmentId);
  const commit = (manifest: Manifest): Manifest | undefined => {
    const changed = change(manifest);
    const noteNow = manifest.retired.find((one) => one.segmentId === segmentId);
    if (!changed || !noteNow || noteNow.deleting) return undefined;
    if (manifest.segments.filter(isReplaced).length < replaced.length) return undefined;
    const dueAt = now().getTime() + readersMs;
    return {
      ...changed,
      segments: [
        ...manifest.segments.filter((other) => !isReplaced(other)),
        ...(sorted.length > 0 ? [segment] : []),
      ],
      retired: [
        ...manifest.retired.filter((one) => one !== noteNow),
        ...replaced.map((other) => ({ segmentId: other.segmentId, blocks: other.blocks, dueAt })),
      ],
    };
  };
  return (await changeManifest(list, commit, alongside)) !== undefined;
}

function isDue({ dueAt }: RetiredSegment): boolean {
  return dueAt <= now().getTime();
}

/** Deletes retired segments once no reader or compaction uses them. */
async function deleteRetired(list: List): Promise<void> {
  const marked = await changeManifest(list, (manifest) =>
    manifest.retired.some(isDue)
      ? {
          ...manifest,
          retired: manifest.retired.map((one) => (isDue(one) ? { ...one, deleting: true } : one)),
        }
      : undefined,
  );
  const deleted = marked?.retired.filter(({ deleting }) => deleting) ?? [];
  if (deleted.length === 0) return;
  for (const segment of deleted) await deleteSegment(list, segment);
  const isDeleted = ({ segmentId }: RetiredSegment) => deleted.some((one) => one.segmentId === segmentId);
  await changeManifest(list, (manifest) => ({
    ...manifest,
    retired: manifest.retired.filter((one) => !isDeleted(one)),
  }));
}

/**
 * Commits what `change` makes of the current manifest, with further writes. Calls `change` again
 * after a conflict; commits nothing if it returns undefined.
 * @throws ContendedError when the time for retries is up
 */
export function changeManifest(
  list: List,
  change: (manifest: Manifest) => Omit<Manifest, "version"> | undefined,
  alongside: readonly WriteAction[] = [],
): Promise<Manifest | undefined> {
  return retryDecision(async () => {
    const manifest = await readManifest(list);
    const changed = change(manifest);
    if (!changed) return undefined;
    const next = { ...changed, version: manifest.version + 1 };
    const { committed } = await transact([manifestPut(list, next), ...alongside]);
    return committed ? next : new Conflict("manifest");
  });
}

function manifestPut(list: List, { version, ...manifest }: Manifest): WriteAction {
  const asRead = version === 1 ? isNew : { version: version - 1 };
  return manifests.at(list).put({ version, body: pack(manifest) }, asRead);
}

/**
 * One page of changes from each shard: all changes from `since` up to `until`. A compaction is not
 * urgent: reading all shards at once would hold up other callers of a local engine.
 */
export async function readFirstChanges(
  list: List,
  since: string,
): Promise<{ readonly rows: ChangeRow[]; readonly until: string }> {
  let until = afterAll;
  const rows: ChangeRow[] = [];
  const sources = [...changeRows(list, since, afterAll), ...ownChanges(list, since, afterAll)];
  for (const { query, toRow } of sources) {
    const { Items = [], LastEvaluatedKey } = await table.send(new QueryCommand(query));
    // A record's sort key ends with its ULID.
    const last = LastEvaluatedKey && withoutPrefix(String(LastEvaluatedKey.sk));
    if (last !== undefined && last < until) until = last;
    rows.push(...Items.flatMap((item) => toRow(item) ?? []));
  }
  return { rows: withoutRewritten(rows).filter(({ sk }) => sk < until), until };
}
