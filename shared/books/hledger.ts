import { type Currency, currencyNames } from "../contract/enums.ts";
import { mediaTypes } from "../contract/route.ts";
import type { JournalEntry } from "../ledger/journal-entry.ts";
import { timestamp } from "../platform/clock.ts";
import { toDecimal } from "./amount.ts";
import { type Books, type BooksForm, closingMinor } from "./books.ts";
import { toBooksAccount } from "./chart.ts";

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
  return `${toDecimal(minor, currency)} ${currencyNames[currency]}`;
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
    yield `; ${account.name}  ${figures.map((minor) => toDecimal(minor, currency)).join("  ")}\n`;
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
