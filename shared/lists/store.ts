import * as z from "zod";
import { BoundedMap } from "../platform/bounded-map.ts";
import { withoutPrefix } from "../platform/id.ts";
import { readBatch } from "../platform/table/batch.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { afterAll, type Key } from "../platform/table/keys.ts";
import { readAllItems, toPartitionQuery } from "../platform/table/query.ts";
import {
  type ChangeRow,
  changedEntries,
  changeKey,
  type Entry,
  type List,
  listPrefix,
  ridingEntries,
  ridingKey,
  ridingShards,
  type StoredRecord,
  storeEntries,
  toEntry,
} from "./kind.ts";
import type { Order } from "./page-spec.ts";
import {
  Block,
  blockKey,
  hasSortedCopies,
  indexKey,
  type PartName,
  type Segment,
  summaryKey,
  summaryName,
  timeCopy,
  unpack,
} from "./segment.ts";
import type { Parts } from "./select-page.ts";
import type { SparseIndex, Summary } from "./sparse-index.ts";

/** What a list consists of: its segments, and all changes from the watermark on. */
export interface Contents {
  /** The id of the first change that is not compacted. */
  readonly watermark: string;
  readonly segments: readonly Segment[];
}

export const manifests = defineEntity({
  name: "manifest",
  schema: z.object({
    version: z.int(),
    body: z.custom<Uint8Array>((body) => body instanceof Uint8Array),
  }),
  key: (list: List) => ({ pk: listPrefix(list), sk: "MANIFEST" }),
});

async function readContents(list: List): Promise<Contents> {
  const stored = await manifests.at(list).get();
  return stored ? unpack<Contents>(stored.body) : { watermark: "", segments: [] };
}

type Summaries = ReadonlyMap<string, Summary>;

/** What a page reads first. */
export type Snapshot = readonly [Contents, Summaries];

/** `order`: that of the page; of a search by id, "id". */
export function readSnapshot(list: List, order: Order): Promise<Snapshot> {
  return Promise.all([readContents(list), readSummaries(list, order)]);
}

const knownSummaries = new BoundedMap<string, Summary>(64);

/**
 * The summaries of the long segments for an order, without the manifest. They never change: one
 * that is missing in an eventually consistent read costs more reads, not the page.
 */
async function readSummaries(list: List, order: Order): Promise<Summaries> {
  const { kind } = list;
  const { pk } = summaryKey(list, summaryName(hasSortedCopies(kind, order) ? order : timeCopy, ""));
  const items = await readAllItems({ ...toPartitionQuery(pk), ConsistentRead: false });
  return new Map(
    items.map(({ sk, body }) => {
      const summary = knownSummaries.getOrMake(`${pk} ${sk}`, () => unpack(body as Uint8Array));
      return [String(sk), summary];
    }),
  );
}

export async function readChanges(list: List, since: string): Promise<ChangeRow[]> {
  const sources = [...changeRows(list, since, afterAll), ...ownChanges(list, since, afterAll)];
  return withoutRewritten(await readSources(sources));
}

/** A riding list whose changes are read with those of other lists. */
export interface SeenList extends List {
  readonly seen: { readonly snapshot: Snapshot; readonly rows?: () => Promise<StoredRecord[]> };
}

export async function readRidingRows(programId: string, since: string): Promise<StoredRecord[]> {
  const read = ridingQueries(programId, since, afterAll).map((query) => readAllItems(query));
  return (await Promise.all(read)).flat();
}

function ridingQueries(programId: string, since: string, until: string) {
  return Array.from({ length: ridingShards }, (_, shard) =>
    toPartitionQuery(ridingKey(programId, shard, "").pk, changeSpan(since, until)),
  );
}

export async function readSources(sources: readonly ChangeSource[]): Promise<ChangeRow[]> {
  const rows = sources.map(async ({ query, toRow }) => (await readAllItems(query)).map(toRow));
  return (await Promise.all(rows)).flat().filter((row) => row !== undefined);
}

interface ChangeSource {
  readonly query: ReturnType<typeof toPartitionQuery>;
  readonly toRow: (item: StoredRecord) => ChangeRow | undefined;
}

export function changeRows(list: List, since: string, until: string): ChangeSource[] {
  if (list.kind.rides) return [];
  return Array.from({ length: list.kind.shards }, (_, shard) => ({
    query: toPartitionQuery(changeKey(list, shard, "").pk, changeSpan(since, until)),
    toRow: (item) => item as unknown as ChangeRow,
  }));
}

/** A sort key may not be empty. "!" sorts before every change. */
function changeSpan(since: string, until: string) {
  return { first: since || "!", last: until };
}

/** The rows of riding lists are among them: no list may delete what is also another's. */
export function ownChanges(list: List, since: string, until: string): ChangeSource[] {
  if (list.kind.rides)
    return ridingQueries(list.programId, since, until).map((query) => ({
      query,
      toRow: (item) => toRidingChange(list, item),
    }));
  const prefixes = list.kind.recordPrefixes?.(list) ?? [];
  return prefixes.map(({ pk, sk }) => ({
    query: toPartitionQuery(pk, { first: `${sk}${since}`, last: `${sk}${until}` }),
    toRow: (item) => toOwnChange(list, item),
  }));
}

/** The change that a listed record is for a list; without entries if this one leaves it out. */
export function toOwnChange(list: List, item: StoredRecord): ChangeRow | undefined {
  const { kind } = list;
  const isRecord = ({ pk, sk }: Key) => pk === item.pk && String(item.sk).startsWith(sk);
  if (item.listed === undefined || !kind.recordPrefixes?.(list).some(isRecord)) return undefined;
  const record = kind.toRecord?.(item, list);
  const entries = storeEntries(record ? [toEntry(kind, String(record.entityId), record)] : []);
  return { ...toChange(list, item, entries), sk: withoutPrefix(String(item.sk)) };
}

/** Without entries if only other lists changed. */
export function toRidingChange(list: List, item: StoredRecord): ChangeRow {
  return toChange(list, item, ridingEntries(list.kind, item.entries as string[]));
}

function toChange(list: List, item: StoredRecord, entries: string): ChangeRow {
  const { programId, kind, owner } = list;
  const record = { pk: String(item.pk), sk: String(item.sk) };
  const rescuedAt = item[rescueMark(list, record)] as string | undefined;
  return { ...record, programId, listed: kind.name, owner, entries, record, rescuedAt };
}

/** The attribute that says that a change was written again: a record may be in several lists. */
export function rescueMark({ kind }: List, record: Key | undefined): string {
  return record ? `rescuedAt_${kind.name}` : "rescuedAt";
}

export function withoutRewritten(rows: readonly ChangeRow[]): ChangeRow[] {
  return rows.filter(({ rescuedAt }) => rescuedAt === undefined);
}

/** A segment was replaced and deleted while it was read: read the manifest again. */
export class SegmentDeletedError extends Error {
  override readonly name = "SegmentDeletedError";
}

export function storedParts(
  list: List,
  order: Order,
  [{ segments, watermark }, summaries]: Snapshot,
  ridingRows?: () => Promise<readonly StoredRecord[]>,
): Parts {
  const readRecent = async (): Promise<Entry[]> => {
    if (!ridingRows) return (await readChanges(list, watermark)).flatMap(changedEntries);
    const rows = (await ridingRows()).map((item) => toRidingChange(list, item));
    return withoutRewritten(rows.filter(({ sk }) => sk >= watermark)).flatMap(changedEntries);
  };
  // Read once, whatever the order that is searched.
  let reading: ReturnType<typeof readRecent> | undefined;
  const parts = {
    segments,
    summaries,
    recent: () => {
      reading ??= readRecent();
      return reading;
    },
    indexes: (names: readonly PartName[]) => readIndexes(list, names),
    blocks: (names: readonly PartName[]) => readBlocks(list, names),
    by: async (other: Order): Promise<Parts> =>
      other === order ? parts : { ...parts, summaries: await readSummaries(list, other) },
  };
  return parts;
}

/** Where several lists are read as one: whose each segment is. */
type Owners = ReadonlyMap<string, List>;

export async function readBlocks(list: List, names: readonly PartName[], owners?: Owners): Promise<Block[]> {
  const lists = names.map(({ segmentId }) => owners?.get(segmentId));
  const bodies = await readParts(names.map((name, at) => blockKey(lists[at] ?? list, name)));
  return bodies.map((body, at) => new Block(list.kind, body, lists[at]));
}

/** Sparse indexes never change, and are most of what a page of a long list reads. */
const knownIndexes = new BoundedMap<string, SparseIndex>(256);

export async function readIndexes(
  list: List,
  names: readonly PartName[],
  owners?: Owners,
): Promise<SparseIndex[]> {
  const keys = names.map((name) => indexKey(owners?.get(name.segmentId) ?? list, name));
  const found = new Map(keys.map((key) => [keyText(key), knownIndexes.get(keyText(key))]));
  const unknown = keys.filter((key) => !found.get(keyText(key)));
  for (const [at, body] of (await readParts(unknown)).entries()) {
    const name = keyText(unknown[at] as Key);
    const index = unpack<SparseIndex>(body);
    found.set(name, index);
    knownIndexes.set(name, index);
  }
  return keys.map((key) => found.get(keyText(key)) as SparseIndex);
}

/** Parts never change: a consistent read is needed only if another one does not find them. */
async function readParts(keys: readonly Key[]): Promise<Uint8Array[]> {
  const found = new Map<string, Uint8Array>();
  for (const isConsistent of [false, true]) {
    const missing = keys.filter((key) => !found.has(keyText(key)));
    for (const item of await readBatch(missing, isConsistent)) {
      found.set(keyText(item as unknown as Key), item.body as Uint8Array);
    }
    if (found.size === keys.length) break;
  }
  return keys.map((key) => {
    const body = found.get(keyText(key));
    if (!body) throw new SegmentDeletedError(`${keyText(key)} does not exist.`);
    return body;
  });
}

export function keyText({ pk, sk }: Key): string {
  return `${pk} ${sk}`;
}
