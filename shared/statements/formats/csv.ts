import { toCsvRow } from "../../platform/csv.ts";
import type { Form } from "./sheet.ts";

/** RFC 4180 in UTF-8, with amounts in minor units. The balances have rows of their own. */
export const csvForm: Form = {
  head: ({ firstDay, openingMinor }) =>
    toCsvRow(["type", "date", "description", "amount", "balance", "transId", "journalEntryId"]) +
    toCsvRow(["opening", firstDay, "Opening balance", "", openingMinor, "", ""]),
  line: (_, { type, date, description, amount, balance, transId, journalEntryId }) =>
    toCsvRow([type, date, description, amount, balance, transId, journalEntryId]),
  tail: ({ lastDay, closingMinor }) =>
    toCsvRow(["closing", lastDay, "Closing balance", "", closingMinor, "", ""]),
};
