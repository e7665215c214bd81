import { currencyNames } from "../contract/enums.ts";
import { mediaTypes } from "../contract/route.ts";
import type { JournalEntry } from "../ledger/journal-entry.ts";
import { type Cell, toCsvRow } from "../platform/csv.ts";
import { toDecimal } from "./amount.ts";
import { type Books, type BooksForm, closingMinor } from "./books.ts";
import { toBooksAccount } from "./chart.ts";

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
type Row = Partial<Record<(typeof columns)[number], Cell>>;

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
  const figure = (minor: number) => ({ figure: toDecimal(minor, currency) });
  for (const { account, amountMinor } of postings) {
    const { name, type } = toBooksAccount(account);
    const entry = { section: "posting", time: createdAt, entryId, kind, relatedId: relatedId };
    const side = amountMinor < 0 ? { debit: figure(-amountMinor) } : { credit: figure(amountMinor) };
    const row = { ...entry, account: name, accountType: type, ...side };
    yield toLine({ ...row, currency: currencyNames[currency] });
  }
}

function* balanceLines({ currency, balances }: Books): Generator<string> {
  const figure = (minor: number) => ({ figure: toDecimal(minor, currency) });
  for (const balance of balances) {
    const { account, openingMinor, debitsMinor, creditsMinor } = balance;
    yield toLine({
      section: "balance",
      account: account.name,
      accountType: account.type,
      opening: figure(openingMinor),
      debit: figure(debitsMinor),
      credit: figure(creditsMinor),
      closing: figure(closingMinor(balance)),
      currency: currencyNames[currency],
    });
  }
}

function toLine(row: Row): string {
  return toCsvRow(columns.map((name) => row[name] ?? ""));
}
