import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { BoundedMap } from "../platform/bounded-map.ts";
import { now } from "../platform/clock.ts";
import { withoutPrefix } from "../platform/id.ts";
import { readBatch } from "../platform/table/batch.ts";
import { table } from "../platform/table/client.ts";
import { isNew } from "../platform/table/condition.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { Key } from "../platform/table/keys.ts";
import { afterAll, listKey } from "../platform/table/keys.ts";
import { readAllItems, toPartitionQuery } from "../platform/table/query.ts";
import { Conflict, retryDecision } from "../platform/table/retry.ts";
import { transact, type WriteAction } from "../platform/table/transact.ts";
import { type ChangeRow, changedEntries, toOwnChange } from "./change.ts";
import type { Entry, List, StoredRecord } from "./entry.ts";
import { Block, type PartName, pack, type Segment, timeCopy, unpack } from "./segment.ts";
import type { Parts } from "./select-page.ts";
import type { SparseIndex } from "./sparse-index.ts";

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
  readonly blocks: number;
  /** When it may be deleted, in milliseconds. */
  readonly dueAt: number;
  /** Its deletion has begun: it can never be committed. */
  readonly deleting?: boolean;
}

export function isLeased({ leasedUntil = 0 }: Manifest): boolean {
  return leasedUntil > now().getTime();
}

const manifests = defineEntity({
  name: "manifest",
  table: "issuing",
  schema: z.object({
    version: z.int(),
    body: z.custom<Uint8Array>((body) => body instanceof Uint8Array),
  }),
  key: (list: List) => listKey.manifest(list),
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

export async function readChanges(list: List, since: string): Promise<ChangeRow[]> {
  const sources = [...changeRows(list, since, afterAll), ...ownChanges(list, since, afterAll)];
  return withoutRewritten(await readSources(sources));
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

interface ChangeSource {
  readonly query: ReturnType<typeof toPartitionQuery>;
  readonly toRow: (item: StoredRecord) => ChangeRow | undefined;
}

function changeRows(list: List, since: string, until: string): ChangeSource[] {
  // A sort key may not be empty. "!" sorts before every change.
  const span = { first: since || "!", last: until };
  return Array.from({ length: list.kind.shards }, (_, shard) => ({
    query: toPartitionQuery(listKey.change(list, shard, "").pk, span),
    toRow: (item) => item as unknown as ChangeRow,
  }));
}

function ownChanges(list: List, since: string, until: string): ChangeSource[] {
  const prefixes = list.kind.recordPrefixes?.(list) ?? [];
  return prefixes.map(({ pk, sk }) => ({
    query: toPartitionQuery(pk, { first: `${sk}${since}`, last: `${sk}${until}` }),
    toRow: (item) => toOwnChange(list, item),
  }));
}

function withoutRewritten(rows: readonly ChangeRow[]): ChangeRow[] {
  return rows.filter(({ rescuedAt }) => rescuedAt === undefined);
}

/** A segment was replaced and deleted while it was read: read the manifest again. */
export class SegmentDeletedError extends Error {
  override readonly name = "SegmentDeletedError";
}

export function storedParts(
  list: List,
  { segments, watermark }: Pick<Manifest, "segments" | "watermark">,
): Parts {
  return {
    segments,
    recent: async () => (await readChanges(list, watermark)).flatMap(changedEntries),
    indexes: (names) => readIndexes(names.map((name) => listKey.sparseIndex(list, name))),
    blocks: (names) => readBlocks(list, names),
  };
}

export async function readSegments(list: List, segments: readonly Segment[]): Promise<Entry[]> {
  const names = segments.flatMap(({ segmentId, blocks }) =>
    Array.from({ length: blocks }, (_, index) => ({ segmentId, copy: timeCopy, index })),
  );
  return (await readBlocks(list, names)).flatMap((block) => block.entries());
}

async function readBlocks(list: List, names: readonly PartName[]): Promise<Block[]> {
  const bodies = await readParts(names.map((name) => listKey.block(list, name)));
  return bodies.map((body) => new Block(list.kind, body));
}

/** Sparse indexes never change, and are most of what a page of a long list reads. */
const knownIndexes = new BoundedMap<string, SparseIndex>(256);

async function readIndexes(keys: readonly Key[]): Promise<SparseIndex[]> {
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
