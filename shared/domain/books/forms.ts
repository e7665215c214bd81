import type { JournalEntry } from "../ledger/journal-entry.ts";
import type { Books } from "./books.ts";
import { booksCsv } from "./books-csv.ts";
import { hledger } from "./hledger.ts";
import { booksJson } from "./view.ts";

/** Books as text, which can be written in parts. */
export interface BooksForm {
  readonly extension: string;
  readonly mediaType: string;
  readonly head: (books: Books) => Iterable<string>;
  /** Absent where entries are not named. */
  readonly entry?: (books: Pick<Books, "day" | "currency">, entry: JournalEntry) => Iterable<string>;
  readonly tail: (books: Books) => Iterable<string>;
}

export const booksForms = { json: booksJson, hledger, csv: booksCsv } as const satisfies Record<
  string,
  BooksForm
>;
export type BooksFormat = keyof typeof booksForms;

export function booksFileName(date: string, format: BooksFormat): string {
  return `ledger-${date}.${booksForms[format].extension}`;
}

export function renderBooks(format: BooksFormat, books: Books, entries: readonly JournalEntry[]): string {
  const { head, entry, tail }: BooksForm = booksForms[format];
  const ofEntries = entry ? entries.flatMap((one) => [...entry(books, one)]) : [];
  return [...head(books), ...ofEntries, ...tail(books)].join("");
}
