import { now, pause } from "../platform/clock.ts";
import { environment } from "../platform/environment.ts";
import { earliestChangeId, newChangeId } from "../platform/id.ts";
import { listKey } from "../platform/table/list-keys.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { pack } from "./block.ts";
import { type ChangeRow, entriesOf } from "./change-row.ts";
import { compareEntries, type Entry, summed } from "./entry.ts";
import { keptSince, type ListOf } from "./listed-kind.ts";
import { changeManifest, type Discarded, type Manifest, readManifest } from "./manifest.ts";
import { type Run, runOf } from "./run.ts";
import { deleteRun, entriesOfRuns, firstChangeRows, writeRun } from "./stored-parts.ts";

/** Changes wait at least so long: a transaction that names an earlier one has been committed, or comes too late and is rescued. */
export const settledMs = 10_000;
/** Fewer changes than this stay as they are, and are read one by one. */
const fewest = 512;
/** More than this are taken in by several runs. */
const most = 10_000;
/** So many runs of about the same size become one. */
const tierRuns = 4;
const tierBase = 4 * fewest;
/** Runs that would come to more than this are not merged: what can be sorted in memory. Several such runs are read side by side. */
const largestMerge = 1_000_000;
const hourMs = 3_600_000;
/** Whoever reads a page has long finished after this. */
const readersMs = 300_000;

/** Expired records stay in a list for so long: whoever pages through it by offset does not see the rest move. */
const expiredMs = 10 * 24 * hourMs;

/** So many runs are made at a time: more of the stream goes on with what is left. */
const mostTakes = 20;

/**
 * Takes the changes of a list that have settled into runs of their own, and merges runs until there are few of each size. What is in the list is the
 * same before and after, at every moment between, and however often and by however many this is done at once: a run counts from the commit of its
 * manifest on, which is conditional, and its changes until then.
 */
export async function takeIn(list: ListOf, settle = () => pause(settledMs)): Promise<void> {
  let hasWaited = false;
  for (let takes = 0; takes < mostTakes; takes += 1) {
    const found = await takeChanges(list);
    while (await mergeRuns(list));
    if (found === "few" || (found === "unsettled" && hasWaited)) break;
    if (found === "unsettled") {
      hasWaited = true;
      await settle();
    }
  }
  await deleteDiscarded(list);
}

/** Takes in what has settled, as much as one run takes, if it is enough; whether it was, or will be soon. */
async function takeChanges(list: ListOf): Promise<"taken" | "unsettled" | "few"> {
  const manifest = await readManifest(list);
  if (isHeld(manifest)) return "few";
  // The time before the reading: what is committed while a slow shard is read is none of it.
  const settled = settledNow();
  const { rows, until } = await firstChangeRows(list, manifest.since);
  const bound = until < settled ? until : settled;
  if (rows.filter(({ sk }) => sk < bound).length < fewest) {
    return rows.length < fewest ? "few" : "unsettled";
  }
  await takeRows(list, manifest, rows, bound);
  return "taken";
}

/**
 * Takes in what has settled by then, however few; at least up to the change that is named, unless others have. Of a list that is held nothing needs to be: who read
 * its changes before takes none of them in.
 *
 * @returns Since when changes count by themselves.
 */
export async function takeAtLeast(list: ListOf, changeId: string): Promise<string> {
  for (;;) {
    const manifest = await readManifest(list);
    if (manifest.since > changeId || isHeld(manifest)) return manifest.since;
    const settled = settledNow();
    if (settled <= changeId) {
      await pause(1_000);
      continue;
    }
    const { rows, until } = await firstChangeRows(list, manifest.since);
    await takeRows(list, manifest, rows, until < settled ? until : settled);
  }
}

function settledNow(): string {
  return earliestChangeId(new Date(now().getTime() - settledMs));
}

/** Commits the first of the changes as a run, and that all before `bound` are taken in, or as many as one run takes. */
async function takeRows(
  list: ListOf,
  { since, holds }: Manifest,
  rows: readonly ChangeRow[],
  bound: string,
): Promise<boolean> {
  const sorted = rows.filter(({ sk }) => sk < bound).toSorted((left, right) => (left.sk < right.sk ? -1 : 1));
  const until = sorted[most]?.sk ?? bound;
  const taken = sorted.slice(0, most);
  const take = (manifest: Manifest) =>
    manifest.since === since && manifest.holds === holds ? { ...manifest, since: until } : undefined;
  return replaceRuns(list, taken.flatMap(entriesOf), [], take, [takenPut(list, until, taken)]);
}

/** Drops runs of expired records alone, or merges runs of a size of which there are too many; whether there were such. */
async function mergeRuns(list: ListOf): Promise<boolean> {
  const found = await readManifest(list);
  if (isHeld(found)) return false;
  const since = keptSince(list.kind, now().getTime() - expiredMs);
  const expired = found.runs.filter(({ until }) => until < since);
  const replaced = expired.length > 0 ? expired : runsToMerge(found.runs);
  if (replaced.length === 0) return false;
  const entries = expired.length > 0 ? [] : await entriesOfRuns(list, replaced);
  const kept = entries.filter(({ createdAt }) => createdAt >= since);
  return replaceRuns(list, kept, replaced, (manifest) => (isHeld(manifest) ? undefined : manifest));
}

/** Runs of a size of which there are too many, no more of them than can be sorted in memory. */
export function runsToMerge(runs: readonly Run[]): Run[] {
  const sizes = Map.groupBy(runs.filter(isMergeable), tierOf);
  const full = [...sizes.values()].find(({ length }) => length >= tierRuns) ?? [];
  let entries = 0;
  return full.filter((run) => {
    entries += run.entries;
    return entries <= largestMerge;
  });
}

function isHeld({ heldUntil = 0 }: Manifest): boolean {
  return heldUntil > now().getTime();
}

function isMergeable({ entries }: Run): boolean {
  return entries * tierRuns <= largestMerge;
}

function tierOf({ entries }: Run): number {
  return Math.max(0, Math.floor(Math.log(entries / tierBase) / Math.log(tierRuns)) + 1);
}

/**
 * Writes a run of these entries and commits it in place of others. It is noted as discarded before its first part is written, so that no crash leaves parts that
 * nobody knows of; the commit takes the note away, and is refused where the parts may have been deleted.
 */
export async function replaceRuns(
  list: ListOf,
  entries: readonly Entry[],
  replaced: readonly Run[],
  change: (manifest: Manifest) => Manifest | undefined,
  alongside: readonly WriteAction[] = [],
): Promise<boolean> {
  const sorted = summed(entries).toSorted(compareEntries("createdAt"));
  const run = runOf(newChangeId(), sorted);
  const { runId, blocks } = run;
  const noted = await changeManifest(list, (manifest) => ({
    ...manifest,
    discarded: [...manifest.discarded, { runId, blocks, dueAt: now().getTime() + hourMs }],
  }));
  if (!noted) return false;
  await writeRun(list, run, sorted);
  const isReplaced = (other: Run) => replaced.some((one) => one.runId === other.runId);
  const committed = await changeManifest(
    list,
    (manifest) => {
      const changed = change(manifest);
      const note = manifest.discarded.find((one) => one.runId === runId);
      if (!changed || !note || note.deleting) return undefined;
      if (manifest.runs.filter(isReplaced).length < replaced.length) return undefined;
      const dueAt = now().getTime() + readersMs;
      return {
        ...changed,
        runs: [...manifest.runs.filter((other) => !isReplaced(other)), ...(sorted.length > 0 ? [run] : [])],
        discarded: [
          ...manifest.discarded.filter((one) => one !== note),
          ...replaced.map((other) => ({ runId: other.runId, blocks: other.blocks, dueAt })),
        ],
      };
    },
    alongside,
  );
  return committed !== undefined;
}

/** Deletes what nobody can read or commit any more. */
async function deleteDiscarded(list: ListOf): Promise<void> {
  const isDue = ({ dueAt }: Discarded) => dueAt <= now().getTime();
  const marked = await changeManifest(list, (manifest) =>
    manifest.discarded.some((one) => isDue(one))
      ? {
          ...manifest,
          discarded: manifest.discarded.map((one) => (isDue(one) ? { ...one, deleting: true } : one)),
        }
      : undefined,
  );
  const deleting = marked?.discarded.filter((one) => one.deleting) ?? [];
  if (deleting.length === 0) return;
  for (const run of deleting) await deleteRun(list, run);
  const isGone = ({ runId }: Discarded) => deleting.some((one) => one.runId === runId);
  await changeManifest(list, (manifest) => ({
    ...manifest,
    discarded: manifest.discarded.filter((one) => !isGone(one)),
  }));
}

/** Which changes were taken in: by it, one that comes too late is told from one that is only told of late. */
function takenPut(list: ListOf, until: string, rows: readonly ChangeRow[]): WriteAction {
  return {
    name: "taken",
    Put: {
      TableName: environment.issuingTable,
      Item: { ...listKey.taken(list, until), body: pack(rows.map(({ sk }) => sk)) },
      ConditionExpression: "attribute_not_exists(pk)",
    },
  };
}
