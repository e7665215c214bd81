import { toDecimal } from "../contract/currencies.ts";
import { type Currency, currencyNames } from "../contract/enums.ts";
import { mediaTypes } from "../contract/route.ts";
import type { JournalEntry } from "../ledger/journal-entry.ts";
import { timestamp } from "../platform/clock.ts";
import { type Cell, toCsvRow } from "../platform/csv.ts";
import { type Books, type BooksForm, closingMinor } from "./books.ts";
import { toBooksAccount } from "./chart.ts";
import { booksJson } from "./view.ts";

const columns = [
  "section",
  "time",
  "entryId",
  "kind",
  "relatedId",
  "account",
  "accountType",
  "opening",
  "debit",
  "credit",
  "closing",
  "currency",
] as const;
/** RFC 4180: the postings in the order of time, then the trial balance. */
export const booksCsv: BooksForm = {
  extension: "csv",
  mediaType: mediaTypes.csv,
  head: () => [toLine(Object.fromEntries(columns.map((name) => [name, name])))],
  entry: postingLines,
  tail: balanceLines,
};

function* postingLines(
  { currency }: Pick<Books, "currency">,
  { createdAt, entryId, kind, relatedId, postings }: JournalEntry,
): Generator<string> {
  for (const { account, amountMinor } of postings) {
    const { name, type } = toBooksAccount(account);
    const entry = { section: "posting", time: createdAt, entryId, kind, relatedId: relatedId };
    const side = amountMinor < 0 ? { debit: toFigure(-amountMinor) } : { credit: toFigure(amountMinor) };
    const row = { ...entry, account: name, accountType: type, ...side };
    yield toLine({ ...row, currency: currencyNames[currency] });
  }
}

function* balanceLines({ currency, balances }: Books): Generator<string> {
  for (const balance of balances) {
    const { account, openingMinor, debitsMinor, creditsMinor } = balance;
    yield toLine({
      section: "balance",
      account: account.name,
      accountType: account.type,
      opening: toFigure(openingMinor),
      debit: toFigure(debitsMinor),
      credit: toFigure(creditsMinor),
      closing: toFigure(closingMinor(balance)),
      currency: currencyNames[currency],
    });
  }
}

function toLine(row: Partial<Record<(typeof columns)[number], Cell>>): string {
  return toCsvRow(columns.map((name) => row[name] ?? ""));
}

/**
 * A journal that stands alone: accounts and commodity, the opening balances on the day before, each
 * entry, the closing balances as assertions, and the trial balance as a comment.
 */
export const hledger: BooksForm = {
  extension: "journal",
  mediaType: mediaTypes.hledger,
  head: writeOpening,
  entry: writeTransaction,
  tail: writeClosing,
};

function toAmount(minor: number, currency: Currency): string {
  return `${toDecimal(minor)} ${currencyNames[currency]}`;
}

function* writeOpening({ programId, currency, day, entries, balances }: Books): Generator<string> {
  const { date, timeZone, from, until } = day;
  yield `; ${programId}: books of ${date} (${timeZone}), from ${timestamp(from)} until ${timestamp(until)}\n`;
  yield `; ${entries} entries; debits are positive\n\n`;
  yield `commodity ${toAmount(100_000, currency)}\n\n`;
  for (const { account } of balances) yield `account ${account.name}  ; type:${account.type}\n`;
  yield `\n${dayBefore(date)} * opening balances\n`;
  for (const { account, openingMinor } of balances) {
    const opening = toAmount(openingMinor, currency);
    yield `    ${account.name}  ${opening} = ${opening}\n`;
  }
}

function* writeClosing({ currency, day, balances }: Books): Generator<string> {
  yield `\n${day.date} * closing balances\n`;
  for (const balance of balances)
    yield `    ${balance.account.name}  ${toAmount(0, currency)} = ${toAmount(closingMinor(balance), currency)}\n`;
  yield "\n; Trial balance: account, opening, debits, credits, closing\n";
  for (const balance of balances) {
    const { account, openingMinor, debitsMinor, creditsMinor } = balance;
    const figures = [openingMinor, debitsMinor, creditsMinor, closingMinor(balance)];
    yield `; ${account.name}  ${figures.map((minor) => toDecimal(minor)).join("  ")}\n`;
  }
}

function* writeTransaction(
  { day, currency }: Pick<Books, "day" | "currency">,
  { entryId, kind, relatedId, postings, createdAt }: JournalEntry,
): Generator<string> {
  yield `\n${day.date} * (${entryId}) ${kind}  ; at:${createdAt}, related:${toTagValue(relatedId)}\n`;
  for (const { account, amountMinor } of postings)
    yield `    ${toBooksAccount(account).name}  ${toAmount(-amountMinor || 0, currency)}\n`;
}

/** A reference of the network has any characters: a comma or a line break would end the tag. */
function toTagValue(text: string): string {
  return text.replaceAll(/[,\p{Cc}]/gu, "_");
}

function dayBefore(date: string): string {
  return timestamp(new Date(Date.parse(date) - 86_400_000)).slice(0, 10);
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

function toFigure(minor: number): Cell {
  return { figure: toDecimal(minor) };
}
