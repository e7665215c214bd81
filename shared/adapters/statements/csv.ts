import type { Form } from "./sheet.ts";

/** RFC 4180 in UTF-8, with amounts in minor units. The balances have rows of their own. */
export const csvForm: Form = {
  head: ({ firstDay, openingMinor }) =>
    toRow("type", "date", "description", "amount", "balance", "transId", "journalEntryId") +
    toRow("opening", firstDay, "Opening balance", "", openingMinor, "", ""),
  line: (_, { type, date, description, amount, balance, transId, journalEntryId }) =>
    toRow(type, date, description, amount, balance, transId, journalEntryId),
  tail: ({ lastDay, closingMinor }) => toRow("closing", lastDay, "Closing balance", "", closingMinor, "", ""),
};

function toRow(...cells: readonly (string | number)[]): string {
  return `${cells.map(toCell).join(",")}\r\n`;
}

/** A text that a spreadsheet would take for a formula gets an apostrophe in front. */
function toCell(value: string | number): string {
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
