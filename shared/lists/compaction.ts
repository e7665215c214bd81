import { QueryCommand, type QueryCommandInput, type QueryCommandOutput } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { now, pause } from "../platform/clock.ts";
import { type Deadline, defineDeadline } from "../platform/deadlines.ts";
import { environment } from "../platform/environment.ts";
import { earliestChangeId, withoutPrefix } from "../platform/id.ts";
import { table } from "../platform/table/client.ts";
import { afterAll, chooseShard, declareKey } from "../platform/table/keys.ts";
import { Conflict, retryDecision } from "../platform/table/retry.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { isTimeUp } from "../platform/time-budget.ts";
import { shardKey } from "./entry.ts";
import {
  type ChangeRow,
  changedEntries,
  type List,
  type ListKind,
  listPrefix,
  ridingShards,
} from "./kind.ts";
import { isLeased, type Manifest, readManifest } from "./manifest.ts";
import { deleteRetired, mergeSegments, replaceSegments } from "./merges.ts";
import { pack } from "./segment.ts";
import { changeRows, ownChanges, withoutRewritten } from "./store.ts";

/** The ids of the changes that one compaction took, up to `before`. */
export const compactedKey = declareKey("compacted changes", (list: List, before: string) => ({
  pk: `${listPrefix(list)}#COMPACTED`,
  sk: before,
}));

/** The age at which changes are compacted. Changes that commit later count as late. */
export const settleMs = 10_000;
const usualMinimum = 512;
const maximumChanges = 10_000;
/** The most compactions of one call. The stream triggers the next call. */
const maximumCompactions = 20;

/**
 * Compacts settled changes, and merges segments until few of each size remain. Safe to repeat and
 * run concurrently: only the manifest's conditional commit replaces anything.
 * @param arrived the changes of a batch: the call ends once they are compacted
 * @param shared what lists of the batch have read; the wait until all settle forgets it
 */
export async function compactList(
  list: List,
  settle = () => pause(settleMs),
  arrived: readonly Pick<ChangeRow, "sk">[] = [{ sk: afterAll }],
  shared: SharedReads = new Map(),
): Promise<void> {
  const newest = arrived.map(({ sk }) => sk).reduce((one, other) => (one > other ? one : other));
  const settled = settledNow();
  const isEnough = arrived.filter(({ sk }) => sk >= settled).length >= minimumChanges(list);
  let hasWaited = false;
  let manifest = await readManifest(list);
  for (let count = 0; count < maximumCompactions; count += 1) {
    // Before Lambda ends the invocation: the stream repeats the batch.
    if (isTimeUp()) throw new Error("The time for compactions is up.");
    // The batch alone will be enough: a read before it has settled would only be repeated.
    const mustWait = isEnough && !hasWaited && !isLeased(manifest);
    const outcome = mustWait ? "unsettled" : await compactChanges(list, manifest, newest, shared);
    if (outcome === "compacted") manifest = await readManifest(list);
    manifest = await mergeSegments(list, manifest);
    if (outcome === "done" || (outcome === "unsettled" && hasWaited)) break;
    if (outcome === "unsettled") {
      hasWaited = true;
      await settle();
      shared.clear();
      manifest = await readManifest(list);
    }
  }
  await deleteRetired(list, manifest);
}

/**
 * Compacts settled changes if there are enough. Else returns "unsettled" if there will be soon, and
 * `newest` is among those that still settle.
 */
async function compactChanges(list: List, manifest: Manifest, newest: string, shared: SharedReads) {
  const { watermark } = manifest;
  if (isLeased(manifest) || watermark > newest) return "done";
  const { settled, pages } = await readOnce(list, manifest, shared);
  const { rows, until } = toFirstChanges(list, watermark, afterAll, pages);
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

const day = 24 * 3_600_000;
/** Long before they expire, changes that nothing has compacted are: those of a quiet Program. */
export const monthMs = 30 * day;

/** Once a day, each Program's riding rows are walked; once a month, old ones are compacted. */
export const changesWalk = defineDeadline(
  "walk_changes",
  "normal",
  z.object({
    /** All rows before it were walked. */
    walkedTo: z.string().optional(),
    /** The walk after which the last month began. */
    compactedAt: z.string().optional(),
  }),
);

export function nextChangesWalk(programId: string, at: Date): Deadline {
  const dueAt = new Date(at.getTime() + day);
  return changesWalk.at({ ownerId: programId, deadlineId: changesWalkId(programId), dueAt });
}

export function changesWalkId(programId: string): string {
  return `changes:${programId}`;
}

/** Compacts changes that are a month old, however few they are. */
export async function compactOldChanges(list: List): Promise<void> {
  const recent = earliestChangeId(new Date(now().getTime() - monthMs));
  const { watermark } = await readManifest(list);
  const { rows } = await readFirstChanges(list, watermark, recent);
  if (rows.length > 0) await compactPast(list, recent);
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

type Pages = readonly Pick<QueryCommandOutput, "Items" | "LastEvaluatedKey">[];
interface Read {
  readonly settled: string;
  readonly pages: Pages;
}
type SharedReads = Map<string, Read>;
const mostShared = 32;

/**
 * All lists of a Program whose changes ride read the same rows. One with a lease reads them itself:
 * what was read before it does not count.
 */
async function readOnce(list: List, { watermark, leases }: Manifest, shared: SharedReads): Promise<Read> {
  const isShared = list.kind.rides && leases === undefined;
  const key = `${list.programId} ${watermark}`;
  const known = isShared && shared.get(key);
  if (known) return known;
  // Taken before reading: what commits while a slow shard is read has not settled.
  const settled = settledNow();
  const read = { settled, pages: await readPages(list, watermark, afterAll) };
  // A batch may be of many Programs, and a full page is read on from where it ends.
  const isSmall = shared.size < mostShared && read.pages.every((page) => page.LastEvaluatedKey === undefined);
  if (isShared && isSmall) shared.set(key, read);
  return read;
}

const toSources = (...span: Parameters<typeof changeRows>) => [
  ...changeRows(...span),
  ...ownChanges(...span),
];

type How = Pick<QueryCommandInput, "Limit" | "ConsistentRead">;

/**
 * One page of changes from each shard: all changes from `since` up to `until`. A compaction is not
 * urgent: reading all shards at once would hold up other callers of a local engine.
 */
export async function readFirstChanges(list: List, since: string, before = afterAll, how: How = {}) {
  return toFirstChanges(list, since, before, await readPages(list, since, before, how));
}

async function readPages(list: List, since: string, before: string, how: How = {}): Promise<Pages> {
  const pages = [];
  for (const { query } of toSources(list, since, before))
    pages.push(await table.send(new QueryCommand({ ...query, ...how })));
  return pages;
}

function toFirstChanges(list: List, since: string, before: string, pages: Pages) {
  let until = before;
  const rows: ChangeRow[] = [];
  for (const [index, { toRow }] of toSources(list, since, before).entries()) {
    const { Items = [], LastEvaluatedKey } = pages[index] ?? {};
    // A record's sort key ends with its ULID.
    const last = LastEvaluatedKey && withoutPrefix(String(LastEvaluatedKey.sk));
    if (last !== undefined && last < until) until = last;
    rows.push(...Items.flatMap((item) => toRow(item) ?? []));
  }
  return { rows: withoutRewritten(rows).filter(({ sk }) => sk < until), until };
}

/** One change in 64 triggers a compaction. These share a shard: they arrive in order. */
export function triggersCompaction(kind: ListKind, row: Pick<ChangeRow, "pk" | "sk" | "entries">): boolean {
  if (kind.rides) return row.pk.endsWith("#0") && chooseShard(row.sk, 64 / ridingShards) === 0;
  return chooseShard(shardKey(row.sk, changedEntries(row)), 64) === 0;
}

/** One change in 64 advances the checkpoint of its account, in whichever shard it is. */
export function advancesCheckpoint(kind: ListKind, row: Pick<ChangeRow, "pk" | "sk" | "entries">): boolean {
  return kind.rides ? chooseShard(row.sk, 64) === 0 : triggersCompaction(kind, row);
}
