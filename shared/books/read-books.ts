import type { Currency } from "../contract/enums.ts";
import type { JournalEntry } from "../ledger/journal-entry.ts";
import { accountsOf, type Books, composeBooks, readOpenings } from "./books.ts";
import { findClosing, findClosingOf, keepClosing } from "./closing.ts";
import { collect } from "./collect.ts";
import { type BooksDay, toBooksDay } from "./day.ts";
import { readOwnerIds } from "./owners.ts";

/** As it was when its books were read first, if the time zone changed since. */
export async function findDay(programId: string, date: string, timeZone: string): Promise<BooksDay> {
  const kept = await findClosingOf(programId, date);
  if (!kept) return toBooksDay(date, timeZone);
  return { date, timeZone: kept.timeZone, from: new Date(kept.from), until: new Date(kept.until) };
}

interface Limits {
  readonly maximumEntries: number;
  readonly isTimeUp: () => boolean;
}

/** The books of a closed day. Undefined if they take more than the limits allow. */
export async function readBooks(
  { programId, currency }: { readonly programId: string; readonly currency: Currency },
  day: BooksDay,
  { maximumEntries, isTimeUp }: Limits,
): Promise<{ readonly books: Books; readonly entries: readonly JournalEntry[] } | undefined> {
  const scope = { programId, currency, day, base: await findClosing(programId, day.from) };
  const isFull = (count: number) => count > maximumEntries || isTimeUp();
  const ownerIds = await readOwnerIds(programId, day);
  const { entries, sums, cursor } = await collect(scope, ownerIds, { next: 0, open: [] }, isFull);
  if (cursor) return undefined;
  const accountIds = accountsOf(sums);
  const { openings, read } = await readOpenings(scope, accountIds, isTimeUp);
  if (read < accountIds.length) return undefined;
  const { books, closing } = composeBooks(scope, sums, openings);
  await keepClosing(programId, closing);
  return { books, entries };
}
