import * as z from "zod";
import { BoundedMap } from "../platform/bounded-map.ts";
import { now } from "../platform/clock.ts";
import { withoutPrefix } from "../platform/id.ts";
import { readBatch } from "../platform/table/batch.ts";
import { isNew } from "../platform/table/condition.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { afterAll, type Key } from "../platform/table/keys.ts";
import { readAllItems, toPartitionQuery } from "../platform/table/query.ts";
import { Conflict, retryDecision } from "../platform/table/retry.ts";
import { transact, type WriteAction } from "../platform/table/transact.ts";
import {
  type ChangeRow,
  changedEntries,
  changeKey,
  changeRow,
  type Entry,
  ridingEntries,
  ridingKey,
  toEntry,
} from "./entry.ts";
import { type List, listPrefix, ownChange, ridingShards, type StoredRecord } from "./kind.ts";
import type { Order } from "./page-spec.ts";
import {
  Block,
  blockKey,
  hasSortedCopies,
  indexKey,
  type PartName,
  type Progress,
  pack,
  range,
  type Segment,
  summaryKey,
  summaryName,
  timeCopy,
  unpack,
} from "./segment.ts";
import type { Parts } from "./select-page.ts";
import type { SparseIndex, Summary } from "./sparse-index.ts";

/** What a list consists of: its segments, and all changes from the watermark on. */
export interface Manifest {
  /** Optimistic lock: each commit requires the version that it read. 0 before the first. */
  readonly version: number;
  /** The id of the first change that is not compacted. */
  readonly watermark: string;
  readonly segments: readonly Segment[];
  /** Segments that are being written or were replaced. */
  readonly retired: readonly RetiredSegment[];
  /** Until then, in milliseconds, a rebuild runs: nothing is compacted or merged. */
  readonly leasedUntil?: number | undefined;
  /** How many leases there were: a compaction fails if one began after it read its changes. */
  readonly leases?: number | undefined;
}

export interface RetiredSegment {
  readonly segmentId: string;
  /** At most so many. */
  readonly blocks: number;
  /** When it may be deleted, in milliseconds. */
  readonly dueAt: number;
  /** Its deletion has begun: it can never be committed. */
  readonly deleting?: boolean;
  /** How many sparse indexes, with their blocks, are deleted. */
  readonly deleted?: number;
  /** What writes it goes on from here: not deleted while the list has what it merges. */
  readonly merge?: Merge;
}

export interface Merge {
  /** The ids of the segments that it merges. */
  readonly merged: readonly string[];
  /** Older entries are left out, in milliseconds. */
  readonly since: number;
  readonly progress: Progress;
}

export function isLeased({ leasedUntil = 0 }: Manifest): boolean {
  return leasedUntil > now().getTime();
}

export const manifests = defineEntity({
  name: "manifest",
  schema: z.object({
    version: z.int(),
    body: z.custom<Uint8Array>((body) => body instanceof Uint8Array),
  }),
  key: (list: List) => ({ pk: listPrefix(list), sk: "MANIFEST" }),
});

export async function readManifest(list: List): Promise<Manifest> {
  const stored = await manifests.at(list).get();
  if (!stored) return { version: 0, watermark: "", segments: [], retired: [] };
  return { version: stored.version, ...unpack<Omit<Manifest, "version">>(stored.body) };
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

type Summaries = ReadonlyMap<string, Summary>;

/** What a page reads first. */
export type Snapshot = readonly [Manifest, Summaries];

const knownSummaries = new BoundedMap<string, Summary>(64);

/**
 * The summaries of the long segments for an order, without the manifest. They never change: one
 * that is missing in an eventually consistent read costs more reads, not the page.
 */
export async function readSummaries(list: List, order: Order): Promise<Summaries> {
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
  readonly seen: { readonly snapshot: Snapshot; readonly rows: () => Promise<StoredRecord[]> };
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

/** The rows of changes, with those that no longer count, and without records. */
export function readChangeRows(list: List, since: string, until: string): Promise<ChangeRow[]> {
  return readSources(changeRows(list, since, until));
}

/** Records that are their own change. None from `afterAll` on. */
export async function readOwnChanges(list: List, since: string, until: string): Promise<ChangeRow[]> {
  return since < until ? readSources(ownChanges(list, since, until)) : [];
}

async function readSources(sources: readonly ChangeSource[]): Promise<ChangeRow[]> {
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

export function isOwnChange({ listed }: StoredRecord): boolean {
  return listed === ownChange.listed;
}

/** The change that a record is for a list; without entries if the list leaves it out. */
export function toOwnChange(list: List, item: StoredRecord): ChangeRow | undefined {
  const { kind } = list;
  const key = { pk: String(item.pk), sk: String(item.sk) };
  const isRecord = ({ pk, sk }: Key) => pk === key.pk && key.sk.startsWith(sk);
  if (!isOwnChange(item) || !kind.recordPrefixes?.(list).some(isRecord)) return undefined;
  const record = kind.toRecord?.(item, list);
  const entries = record ? [toEntry(kind, String(record.entityId), record)] : [];
  return {
    ...changeRow(list, withoutPrefix(key.sk), entries),
    record: key,
    rescuedAt: item[rescueMark(list, key)] as string | undefined,
  };
}

/** Without entries if only other lists changed. */
export function toRidingChange(list: List, item: StoredRecord): ChangeRow {
  const { programId, kind } = list;
  const key = { pk: String(item.pk), sk: String(item.sk) };
  return {
    ...key,
    programId,
    listed: kind.name,
    entries: ridingEntries(kind, item.entries as string[]),
    record: key,
    rescuedAt: item[rescueMark(list, key)] as string | undefined,
  };
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
  { segments, watermark }: Pick<Manifest, "segments" | "watermark">,
  summaries: Summaries,
  ridingRows?: () => Promise<readonly StoredRecord[]>,
): Parts {
  const changes = async () => {
    if (!ridingRows) return readChanges(list, watermark);
    const rows = (await ridingRows()).map((item) => toRidingChange(list, item));
    return withoutRewritten(rows.filter(({ sk }) => sk >= watermark));
  };
  return {
    segments,
    summaries,
    recent: async () => (await changes()).flatMap(changedEntries),
    indexes: (names) => readIndexes(list, names),
    blocks: (names) => readBlocks(list, names),
  };
}

/** Several lists of one kind as one. An entry says whose it is. */
export function mergedParts(all: readonly (readonly [List, Parts])[]): Parts {
  const owners = new Map(
    all.flatMap(([list, { segments }]) => segments.map(({ segmentId }) => [segmentId, list] as const)),
  );
  const byList = async <T>(
    names: readonly PartName[],
    read: (list: List, names: readonly PartName[]) => Promise<readonly T[]>,
  ): Promise<T[]> => {
    const found = new Map<PartName, T>();
    const groups = Map.groupBy(names, ({ segmentId }) => owners.get(segmentId) as List);
    await Promise.all(
      [...groups].map(async ([list, ofList]) => {
        for (const [at, part] of (await read(list, ofList)).entries())
          found.set(ofList[at] as PartName, part);
      }),
    );
    return names.map((name) => found.get(name) as T);
  };
  return {
    segments: all.flatMap(([, { segments }]) => segments),
    summaries: new Map(all.flatMap(([, { summaries }]) => [...summaries])),
    recent: async () => {
      const tagged = all.map(async ([list, parts]) =>
        (await parts.recent()).map((entry) => ({ ...entry, list })),
      );
      return (await Promise.all(tagged)).flat();
    },
    indexes: (names) => byList(names, readIndexes),
    blocks: (names) => byList(names, (list, ofList) => readBlocks(list, ofList, true)),
  };
}

export async function readSegments(list: List, segments: readonly Segment[]): Promise<Entry[]> {
  const names = segments.flatMap(({ segmentId, blocks }) =>
    range(0, blocks).map((index) => ({ segmentId, copy: timeCopy, index })),
  );
  return (await readBlocks(list, names)).flatMap((block) => block.entries());
}

export async function readBlocks(
  list: List,
  names: readonly PartName[],
  saysWhose = false,
): Promise<Block[]> {
  const bodies = await readParts(names.map((name) => blockKey(list, name)));
  return bodies.map((body) => new Block(list.kind, body, saysWhose ? list : undefined));
}

/** Sparse indexes never change, and are most of what a page of a long list reads. */
const knownIndexes = new BoundedMap<string, SparseIndex>(256);

export async function readIndexes(list: List, names: readonly PartName[]): Promise<SparseIndex[]> {
  const keys = names.map((name) => indexKey(list, name));
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
