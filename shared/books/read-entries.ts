import { type IdKind, idPrefixes } from "../contract/identifiers.ts";
import { journalParts, readJournalItems } from "../ledger/closed-journal.ts";
import { entryOwnerIds, type JournalEntry, journalEntries } from "../ledger/journal-entry.ts";
import { parseEntry } from "../ledger/stored-entry.ts";
import { earliestId } from "../platform/id.ts";

/** Where the entries of an owner are: items, or parts of these records. */
const ownedParts: Readonly<Record<string, Readonly<Record<string, IdKind>>>> = {
  [idPrefixes.card]: journalParts.card,
  [idPrefixes.wallet]: journalParts.wallet,
};
const entriesAlone = { ENTRY: "journalEntry" } as const;

/** Ids are made some moments before or after the time that an entry has. */
export const idMarginMs = 120_000;

/** Where an entry is among those of its owner. */
interface EntryPlace {
  readonly part: string;
  readonly sk: string;
}

interface OwnedEntry extends EntryPlace {
  readonly entry: JournalEntry;
}

export function ownerParts(ownerId: string): readonly (readonly [part: string, kind: IdKind])[] {
  return Object.entries<IdKind>(ownedParts[ownerId.slice(0, 3)] ?? entriesAlone);
}

/** The entries that are stored with an account or a deposit, of a time span, after a place. */
export async function* readEntries(
  programId: string,
  ownerId: string,
  { from, until }: { from: Date; until: Date },
  after?: EntryPlace,
): AsyncGenerator<OwnedEntry> {
  const parts = ownerParts(ownerId);
  const begun = Math.max(
    0,
    parts.findIndex(([part]) => part === after?.part),
  );
  for (const [part, kind] of parts.slice(begun)) {
    const begin = `${part}#${earliestId(kind, shifted(from, -idMarginMs))}`;
    const first = part === after?.part ? after.sk : begin;
    const last = `${part}#${earliestId(kind, shifted(until, idMarginMs))}`;
    for await (const owned of readPart(programId, ownerId, { part, first, last })) {
      const atMs = Date.parse(owned.entry.createdAt);
      const isAfter = part !== after?.part || owned.sk !== after.sk;
      if (isAfter && atMs >= from.getTime() && atMs < until.getTime()) yield owned;
    }
  }
}

export async function* readPart(
  programId: string,
  ownerId: string,
  { part, first, last }: { readonly part: string; readonly first: string; readonly last: string },
): AsyncGenerator<OwnedEntry> {
  if (first >= last) return;
  const { pk } = journalEntries.key(programId, ownerId, "");
  for await (const item of readJournalItems(pk, { first, last })) {
    const entry = parseEntry(item);
    if (entry) yield { entry, part, sk: String(item.sk) };
  }
}

/** Each entry counts once, though it is stored with each of its owners. */
export function isFirstCopy(entry: JournalEntry, ownerId: string): boolean {
  return entryOwnerIds(entry).toSorted()[0] === ownerId;
}

export function shifted(at: Date, ms: number): Date {
  return new Date(Math.max(0, at.getTime() + ms));
}
