import { now } from "../platform/clock.ts";
import { isNew } from "../platform/table/condition.ts";
import { Conflict, retryDecision } from "../platform/table/retry.ts";
import { transact, type WriteAction } from "../platform/table/transact.ts";
import type { Entry, List } from "./kind.ts";
import type { StoredPosition } from "./page-spec.ts";
import { pack, type Segment, unpack } from "./segment.ts";
import { type Contents, manifests } from "./store.ts";

/** What compactions, merges and rebuilds know of a list, beside what a page reads. */
export interface Manifest extends Contents {
  /** Optimistic lock: each commit requires the version that it read. 0 before the first. */
  readonly version: number;
  /** Segments that are being written or were replaced. */
  readonly retired: readonly RetiredSegment[];
  /** Until then, in milliseconds, a rebuild runs: nothing is compacted or merged. */
  readonly leasedUntil?: number | undefined;
  /** How many leases there were: a compaction fails if one began after it read its changes. */
  readonly leases?: number | undefined;
}

/** How far a segment is written: any process can go on from here, and writes the same bytes. */
export interface Progress {
  /** What is known of it so far. */
  readonly segment: Segment;
  /** The first step sorts by time. Each other one merges nodes to one above the sparse indexes. */
  readonly step: number;
  /** How many sparse indexes the step has written. */
  readonly indexes: number;
  /** How many entries the step has taken from each run. */
  readonly taken: readonly number[];
  /** Those of them that it has not written. */
  readonly held: readonly Entry[];
  /** Where the last written entry is. */
  readonly last?: StoredPosition | undefined;
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
