import { now } from "../platform/clock.ts";
import { earliestChangeId } from "../platform/id.ts";
import { type ChangeRow, entriesOf } from "./change-row.ts";
import { type Entry, summed } from "./entry.ts";
import { keptSince, type ListOf } from "./listed-kind.ts";
import { changeManifest, readManifest } from "./manifest.ts";
import { rescueMissed } from "./rescue-late.ts";
import { changeRows, entriesOfRuns, RunDeletedError } from "./stored-parts.ts";
import { replaceRuns, settledMs } from "./take-in.ts";

const hourMs = 3_600_000;

/** Reads all records of a list, as entries; it may take long, and records may change meanwhile. */
export type ReadRecords = () => Promise<readonly Entry[]>;

/**
 * Compares a list with its records: what it lacks, with positive weights, and what it has too much of, with negative ones. Records that change while they are read are
 * not judged: a list and its record change in one transaction, so what differs and stays the same differs truly. Nor are expired records, which leave the list later.
 */
export async function checkList(list: ListOf, readRecords: ReadRecords): Promise<Entry[]> {
  const begun = earliestChangeId(new Date(now().getTime() - settledMs));
  const before = await changeRows(list, begun);
  const entries = await allEntries(list);
  const records = await readRecords();
  const moved = idsIn(await changeRows(list, begun), before);
  const since = keptSince(list.kind, now().getTime());
  const differences = without(summed([...records, ...withdrawn(entries)]), moved);
  return differences.filter(({ createdAt }) => createdAt >= since);
}

/**
 * Makes a list's runs anew from its records, while it is read and changes: until they are committed, all at once, it is what it was. Whatever changes
 * meanwhile, and be it back to what it was, stays as the runs told it; nothing is taken in before the end, or an hour. Changes that came late and were missed are
 * written again before the records are read, and those that came meanwhile after it: none is then both in its record and still to be told of.
 *
 * @returns Whether it was done; not, where somebody else began to do so.
 */
export async function rebuildList(list: ListOf, readRecords: ReadRecords): Promise<boolean> {
  const heldUntil = now().getTime() + hourMs;
  const held = await changeManifest(list, (manifest) => ({
    ...manifest,
    heldUntil,
    holds: (manifest.holds ?? 0) + 1,
  }));
  if (!held) return false;
  await rescueMissed(list);
  const before = await changeRows(list, held.since);
  const records = await readRecords();
  await rescueMissed(list, earliestChangeId(new Date(heldUntil - 2 * hourMs)));
  const moved = idsIn(await changeRows(list, held.since), before);
  const inRuns = await entriesOfRuns(list, held.runs).catch((error: unknown) => {
    if (error instanceof RunDeletedError) return [];
    throw error;
  });
  const entries = [
    ...without(summed([...records, ...withdrawn(before.flatMap(entriesOf))]), moved),
    ...inRuns.filter(({ id }) => moved.has(id)),
  ];
  return replaceRuns(list, entries, held.runs, (manifest) => {
    if (manifest.heldUntil !== heldUntil || manifest.since !== held.since) return undefined;
    const { heldUntil: _, ...released } = manifest;
    return released;
  });
}

/** Everything that a list holds. */
export async function allEntries(list: ListOf): Promise<Entry[]> {
  const manifest = await readManifest(list);
  const [inRuns, fresh] = await Promise.all([
    entriesOfRuns(list, manifest.runs),
    changeRows(list, manifest.since),
  ]);
  return summed([...inRuns, ...fresh.flatMap(entriesOf)]);
}

function withdrawn(entries: readonly Entry[]): Entry[] {
  return entries.map((entry) => ({ ...entry, weight: -entry.weight }));
}

/** The records that changes tell of, but for those that were there before. */
function idsIn(rows: readonly ChangeRow[], before: readonly ChangeRow[]): Set<string> {
  const known = new Set(before.map(({ sk }) => sk));
  const changes = rows.filter(({ sk }) => !known.has(sk));
  return new Set(changes.flatMap(entriesOf).map(({ id }) => id));
}

function without(entries: readonly Entry[], ids: ReadonlySet<string>): Entry[] {
  return entries.filter(({ id }) => !ids.has(id));
}
