import { now } from "../platform/clock.ts";
import { earliestChangeId } from "../platform/id.ts";
import { writeBatch } from "../platform/table/batch.ts";
import type { Key } from "../platform/table/keys.ts";
import { readItems, toPartitionQuery } from "../platform/table/query.ts";
import { isTimeUp } from "../platform/time-budget.ts";
import { compactedKey } from "./compaction.ts";
import type { List } from "./kind.ts";
import { readChangeRows, readOwnChanges, rewriteMissed, toCompacted } from "./late-changes.ts";
import { readManifest } from "./manifest.ts";

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
