import { currencyNames } from "../../contract/enums.ts";
import { toDecimal } from "./amount.ts";
import { type Books, closingMinor } from "./books.ts";
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
type Row = Partial<Record<(typeof columns)[number], string>>;

/** RFC 4180: the postings in the order of time, then the trial balance. */
export function* toBooksCsv({ currency, entries, balances }: Books): Generator<string> {
  const figure = (minor: number) => toDecimal(minor, currency);
  const line = (row: Row) => toLine({ ...row, currency: currencyNames[currency] });
  yield toLine(Object.fromEntries(columns.map((name) => [name, name])));
  for (const { createdAt, entryId, kind, relatedId, postings } of entries) {
    for (const { account, amountMinor } of postings) {
      const { name, type } = toBooksAccount(account);
      const entry = { section: "posting", time: createdAt, entryId, kind, relatedId: toText(relatedId) };
      const side = amountMinor < 0 ? { debit: figure(-amountMinor) } : { credit: figure(amountMinor) };
      yield line({ ...entry, account: name, accountType: type, ...side });
    }
  }
  for (const balance of balances) {
    const { account, openingMinor, debitsMinor, creditsMinor } = balance;
    yield line({
      section: "balance",
      account: account.name,
      accountType: account.type,
      opening: figure(openingMinor),
      debit: figure(debitsMinor),
      credit: figure(creditsMinor),
      closing: figure(closingMinor(balance)),
    });
  }
}

/** Text from outside must not become a formula in a spreadsheet. Amounts are our own. */
function toText(text: string): string {
  return /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
}

function toLine(row: Row): string {
  const fields = columns.map((name) => {
    const field = row[name] ?? "";
    return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
  });
  return `${fields.join(",")}\r\n`;
}
