import { now } from "../platform/clock.ts";
import { environment } from "../platform/environment.ts";
import { changeIdTime, earliestChangeId, newChangeId } from "../platform/id.ts";
import { writeBatch } from "../platform/table/batch.ts";
import type { Key } from "../platform/table/keys.ts";
import { readItems, toPartitionQuery } from "../platform/table/query.ts";
import { transact, type WriteAction } from "../platform/table/transact.ts";
import { isTimeUp } from "../platform/time-budget.ts";
import { compactedKey, compactPast, settleMs } from "./compaction.ts";
import { changePut, listChange, ridingRow } from "./entry.ts";
import { type ChangeRow, changedEntries, type List } from "./kind.ts";
import { readManifest } from "./manifest.ts";
import { unpack } from "./segment.ts";
import { changeRows, ownChanges, readSources, rescueMark } from "./store.ts";

/** How far two clocks may be apart. */
const skewMs = 1_000;
/** The stream rounds commit times down to the second. */
const roundingMs = 1_000;

export interface StreamedChange {
  readonly row: ChangeRow;
  /** The commit time, in milliseconds, rounded down to the second. */
  readonly committedAt?: number | undefined;
}

/**
 * Rewrites changes that committed after their time was compacted. The indexer calls it at least
 * once per change.
 */
export async function rewriteLateChanges(list: List, changes: readonly StreamedChange[]): Promise<void> {
  const suspects = changes
    .filter((change) => hasEntries(change.row) && mayBeLate(change))
    .map(({ row }) => row)
    .toSorted((left, right) => (left.sk < right.sk ? -1 : 1));
  const newest = suspects.at(-1);
  if (!newest) return;
  // A running compaction may have missed these changes. Only the watermark decides.
  const watermark = await compactPast(list, newest.sk);
  let compacted: CompactedChanges | undefined;
  for (const row of suspects.filter((one) => one.sk < watermark && isComparable(one))) {
    if (!compacted || row.sk >= compacted.until) compacted = await readCompacted(list, row.sk);
    if (!compacted.ids.has(row.sk)) await rewrite(list, row);
  }
}

/** By the commit time: a lagging indexer brings old changes that committed in time. */
function mayBeLate({ row, committedAt = Number.NEGATIVE_INFINITY }: StreamedChange): boolean {
  const made = changeIdTime(row.sk);
  const latestCommit = committedAt + roundingMs + skewMs;
  const committedBy = latestCommit < made ? now().getTime() : latestCommit;
  return made <= committedBy - settleMs + skewMs;
}

/**
 * Rewrites all missed changes from `since`, whether or not they arrived through the stream. Reads
 * every change since then: for a rebuild, during which nothing is compacted.
 */
export async function rewriteMissedChanges(list: List, since = ""): Promise<void> {
  let from = since;
  for await (const item of readItems(compactedQuery(list, since || "!"))) {
    const compacted = toCompacted(item);
    const { since: own, until } = compacted;
    const changes = [
      ...(await readChangeRows(list, from, until)),
      ...(await readOwnChanges(list, own, until)),
    ];
    await rewriteMissed(list, changes, compacted);
    from = until;
  }
}

/** The rows of changes, with those that no longer count, and without records. */
export function readChangeRows(list: List, since: string, until: string): Promise<ChangeRow[]> {
  return readSources(changeRows(list, since, until));
}

/** Records that are their own change. None from `afterAll` on. */
async function readOwnChanges(list: List, since: string, until: string): Promise<ChangeRow[]> {
  return since < until ? readSources(ownChanges(list, since, until)) : [];
}

/** Writes those again that belong to a compaction's time, but are not in it. */
async function rewriteMissed(
  list: List,
  changes: readonly ChangeRow[],
  { since, until, ids }: CompactedChanges,
): Promise<void> {
  const missed = changes.filter(
    (row) =>
      row.sk >= since && row.sk < until && row.rescuedAt === undefined && hasEntries(row) && !ids.has(row.sk),
  );
  for (const row of missed) await rewrite(list, row);
}

/** What the list leaves out, or another list's change, counts nothing. */
function hasEntries({ entries }: ChangeRow): boolean {
  return entries !== "[]";
}

/** Half of the time for which compactions are recorded. */
const comparableMs = 24 * 3_600_000;

/** Whether a change can be compared with its compaction: rows are deleted first, records stay. */
function isComparable({ sk, record }: ChangeRow): boolean {
  return !record || changeIdTime(sk) > now().getTime() - comparableMs;
}

interface CompactedChanges {
  /** The watermark before. */
  readonly since: string;
  readonly until: string;
  readonly ids: ReadonlySet<string>;
}

/**
 * The changes of the compaction that covers a change's time. Of an old one, neither record nor rows
 * are left: `rewrite` finds none.
 * @throws Error if the record of a new one cannot be seen yet: the stream repeats the batch
 */
async function readCompacted(list: List, changeId: string): Promise<CompactedChanges> {
  const query = { ...compactedQuery(list, changeId), Limit: 1 };
  for await (const item of readItems(query)) {
    const compacted = toCompacted(item);
    if (compacted.since <= changeId) return compacted;
    break;
  }
  if (changeIdTime(changeId) > now().getTime() - comparableMs) {
    throw new Error(`The list has no record of the compaction of ${changeId}.`);
  }
  return { since: "", until: "", ids: new Set() };
}

function compactedQuery(list: List, after: string) {
  return {
    TableName: environment.issuingTable,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :compacted AND sk > :after",
    ExpressionAttributeValues: { ":compacted": compactedKey(list, "").pk, ":after": after },
  };
}

function toCompacted({ sk, since, body }: Record<string, unknown>): CompactedChanges {
  const ids = new Set(unpack<string[]>(body as Uint8Array));
  return { since: String(since), until: String(sk), ids };
}

/** Writes a change again, once, however often it arrives; not if it is deleted. */
async function rewrite(list: List, row: ChangeRow): Promise<void> {
  await transact([
    {
      name: "late",
      Update: {
        TableName: environment.issuingTable,
        Key: row.record ?? { pk: row.pk, sk: row.sk },
        UpdateExpression: "SET #rescuedAt = :again",
        ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(#rescuedAt)",
        ExpressionAttributeNames: { "#rescuedAt": rescueMark(list, row.record) },
        ExpressionAttributeValues: { ":again": now().toISOString() },
      },
    },
    repeatedChange(list, row),
  ]);
}

/** The same change again, under a new id. */
function repeatedChange(list: List, { pk, entries }: ChangeRow): WriteAction {
  const changed = changedEntries({ entries });
  if (!list.kind.rides) return listChange(list, changed);
  return changePut(ridingRow(list.kind, { pk, sk: newChangeId() }, changed));
}

/** Twice as long as the stream keeps a change: no older one arrives. */
const keptMs = 2 * 24 * 3_600_000;
/** The most compactions whose changes one call deletes: as many as one call makes. */
const maximumDeletions = 20;

/**
 * Deletes the changes of old compactions, then the records of these compactions. A change that its
 * compaction missed is written again first. Safe to repeat and to run concurrently.
 */
export async function deleteOldChanges(list: List): Promise<void> {
  const last = earliestChangeId(new Date(now().getTime() - keptMs));
  const compactions = toPartitionQuery(compactedKey(list, "").pk, { first: "!", last });
  let watermark: string | undefined;
  let count = 0;
  for await (const item of readItems({ ...compactions, Limit: 1 })) {
    if (count === maximumDeletions || isTimeUp()) return;
    count += 1;
    const compacted = toCompacted(item);
    const { since, until } = compacted;
    watermark ??= (await readManifest(list)).watermark;
    // After a restore in the middle of a compaction: the list still needs its changes.
    if (until > watermark) return;
    // From the first one on: rows of earlier compactions are deleted. Records stay, and what
    // rides expires.
    const rows = (await readChangeRows(list, "", until)).filter(({ sk }) => sk < until);
    await rewriteMissed(list, [...rows, ...(await readOwnChanges(list, since, until))], compacted);
    await writeBatch(rows.map(({ pk, sk }) => ({ remove: { pk, sk } })));
    // Only now: it says which of the changes count.
    await writeBatch([{ remove: { pk: item.pk, sk: item.sk } as Key }]);
  }
}
