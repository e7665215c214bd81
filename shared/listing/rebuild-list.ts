import { now } from "../clock.ts";
import { entriesOf } from "./change-row.ts";
import { type Entry, summed } from "./entry.ts";
import { changeManifest, type ListOf, type Manifest, readManifest } from "./manifest.ts";
import { changeRows, entriesOfRuns, RunDeletedError } from "./stored-parts.ts";
import { replaceRuns } from "./take-in.ts";

const hourMs = 3_600_000;

/** Reads all records of a list, as entries; it may take long, and records may change meanwhile. */
export type ReadRecords = () => Promise<readonly Entry[]>;

/**
 * Compares a list with its records: what it lacks, with positive weights, and what it has too much of, with negative ones. Records that change while they are read are
 * not judged: a list and its record change in one transaction, so what differs and stays the same differs truly.
 */
export async function checkList(list: ListOf, readRecords: ReadRecords): Promise<Entry[]> {
  const before = await allEntries(list);
  const records = await readRecords();
  const after = await allEntries(list);
  return without(summed([...records, ...withdrawn(before)]), movedIds(before, after));
}

/**
 * Makes a list's runs anew from its records, while it is read and changes: until they are committed, all at once, it is what it was. Whatever changes
 * meanwhile stays as the runs told it; nothing is taken in before the end, or an hour.
 *
 * @returns Whether it was done; not, where somebody else began to do so.
 */
export async function rebuildList(list: ListOf, readRecords: ReadRecords): Promise<boolean> {
  const heldUntil = now().getTime() + hourMs;
  const held = await changeManifest(list, (manifest) => ({ ...manifest, heldUntil }));
  if (!held) return false;
  const before = await freshEntries(list, held);
  const records = await readRecords();
  const moved = movedIds(before, await freshEntries(list, held));
  const inRuns = await entriesOfRuns(list, held.runs).catch((error: unknown) => {
    if (error instanceof RunDeletedError) return [];
    throw error;
  });
  const entries = [
    ...without(summed([...records, ...withdrawn(before)]), moved),
    ...inRuns.filter(({ id }) => moved.has(id)),
  ];
  return replaceRuns(list, entries, held.runs, (manifest) => {
    if (manifest.heldUntil !== heldUntil || manifest.since !== held.since) return undefined;
    const { heldUntil: _, ...released } = manifest;
    return released;
  });
}

async function allEntries(list: ListOf): Promise<Entry[]> {
  const manifest = await readManifest(list);
  const [inRuns, fresh] = await Promise.all([
    entriesOfRuns(list, manifest.runs),
    freshEntries(list, manifest),
  ]);
  return summed([...inRuns, ...fresh]);
}

async function freshEntries(list: ListOf, { since }: Manifest): Promise<Entry[]> {
  return (await changeRows(list, since)).flatMap(entriesOf);
}

function withdrawn(entries: readonly Entry[]): Entry[] {
  return entries.map((entry) => ({ ...entry, weight: -entry.weight }));
}

function movedIds(before: readonly Entry[], after: readonly Entry[]): Set<string> {
  return new Set(summed([...after, ...withdrawn(before)]).map(({ id }) => id));
}

function without(entries: readonly Entry[], ids: ReadonlySet<string>): Entry[] {
  return entries.filter(({ id }) => !ids.has(id));
}
