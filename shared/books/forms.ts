import type { JournalEntry } from "../ledger/journal-entry.ts";
import type { Books, BooksForm } from "./books.ts";
import { booksCsv } from "./books-csv.ts";
import { hledger } from "./hledger.ts";
import { booksJson } from "./view.ts";

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
