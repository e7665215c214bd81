import type { LedgerView } from "../contract/ledger.ts";
import { timestamp } from "../platform/clock.ts";
import { type Books, type BooksForm, closingMinor } from "./books.ts";

/** Its fields are in the order of the contract. */
export function toLedgerView({ day, currency, entries, balances }: Books): LedgerView {
  return {
    ...toDayView(day),
    currency,
    status: "done",
    progressPercent: 100,
    entries,
    trialBalance: balances.map((balance) => ({
      account: balance.account.name,
      accountType: balance.account.type,
      opening: balance.openingMinor,
      debits: balance.debitsMinor,
      credits: balance.creditsMinor,
      closing: closingMinor(balance),
    })),
  };
}

export function toDayView({ date, timeZone, from, until }: Books["day"]) {
  return { date, timeZone, start: timestamp(from), end: timestamp(until) };
}

/** The bytes of the answer that a shorter day has. */
export const booksJson: BooksForm = {
  extension: "json",
  mediaType: "application/json",
  head: (books) => [JSON.stringify({ status: "success", data: toLedgerView(books) })],
  tail: () => [],
};
