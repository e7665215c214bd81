import { currencyNames } from "../../contract/enums.ts";
import { timestamp } from "../../platform/clock.ts";
import type { JournalEntry } from "../ledger/journal-entry.ts";
import { toDecimal } from "./amount.ts";
import { type Books, closingMinor } from "./books.ts";
import { toBooksAccount } from "./chart.ts";

/**
 * A journal that stands alone: accounts and commodity, the opening balances on the day before, each
 * entry, the closing balances as assertions, and the trial balance as a comment.
 */
export function* toHledger({ programId, currency, day, entries, balances }: Books): Generator<string> {
  const commodity = currencyNames[currency];
  const amount = (minor: number) => `${toDecimal(minor, currency)} ${commodity}`;
  const { date, timeZone, from, until } = day;
  yield `; ${programId}: books of ${date} (${timeZone}), from ${timestamp(from)} until ${timestamp(until)}\n`;
  yield `; ${entries.length} entries; debits are positive\n\n`;
  yield `commodity ${toDecimal(100_000, currency)} ${commodity}\n\n`;
  for (const { account } of balances) yield `account ${account.name}  ; type:${account.type}\n`;
  yield `\n${dayBefore(date)} * opening balances\n`;
  for (const { account, openingMinor } of balances)
    yield `    ${account.name}  ${amount(openingMinor)} = ${amount(openingMinor)}\n`;
  for (const entry of entries) yield* toTransaction(entry, date, amount);
  yield `\n${date} * closing balances\n`;
  for (const balance of balances)
    yield `    ${balance.account.name}  ${amount(0)} = ${amount(closingMinor(balance))}\n`;
  yield "\n; Trial balance: account, opening, debits, credits, closing\n";
  for (const balance of balances) {
    const { account, openingMinor, debitsMinor, creditsMinor } = balance;
    const figures = [openingMinor, debitsMinor, creditsMinor, closingMinor(balance)];
    yield `; ${account.name}  ${figures.map((minor) => toDecimal(minor, currency)).join("  ")}\n`;
  }
}

function* toTransaction(
  { entryId, kind, relatedId, postings, createdAt }: JournalEntry,
  date: string,
  amount: (minor: number) => string,
): Generator<string> {
  yield `\n${date} * (${entryId}) ${kind}  ; at:${createdAt}, related:${toTagValue(relatedId)}\n`;
  for (const { account, amountMinor } of postings)
    yield `    ${toBooksAccount(account).name}  ${amount(-amountMinor || 0)}\n`;
}

/** A reference of the network has any characters: a comma or a line break would end the tag. */
function toTagValue(text: string): string {
  return text.replaceAll(/[,\p{Cc}]/gu, "_");
}

function dayBefore(date: string): string {
  return timestamp(new Date(Date.parse(date) - 86_400_000)).slice(0, 10);
}
