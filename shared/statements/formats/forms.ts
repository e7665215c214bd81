import { type Document, mediaTypes } from "../../contract/route.ts";
import type { StatementFormat, StatementLine } from "../../contract/statements.ts";
import { toCsvRow } from "../../platform/csv.ts";
import type { Form, Sheet } from "./sheet.ts";

/** Imported with the first statement of the form. */
const forms = {
  json: async () => (await import("./json.ts")).jsonForm,
  csv: () => Promise.resolve(csvForm),
  camt053: async () => (await import("./camt053.ts")).camt053Form,
} as const satisfies Partial<Record<StatementFormat, () => Promise<Form>>>;

/** One that is written in parts. */
export type PartedFormat = keyof typeof forms;

export function importForm(format: PartedFormat): Promise<Form> {
  return forms[format]();
}

const extensions = { json: "json", csv: "csv", pdf: "pdf", camt053: "xml" } as const satisfies Record<
  StatementFormat,
  string
>;

export function toFileName(
  { accountId, period }: Pick<Sheet, "accountId" | "period">,
  format: StatementFormat,
) {
  return `${accountId}-${period}.${extensions[format]}`;
}

/** An open month has it, and the object that a long statement is kept as. */
export function toMediaType(format: StatementFormat): string {
  return format === "json" ? "application/json" : mediaTypes[format];
}

export async function renderStatement(
  format: StatementFormat,
  sheet: Sheet,
  lines: readonly StatementLine[],
): Promise<Document> {
  return { document: await renderText(format, sheet, lines), fileName: toFileName(sheet, format) };
}

async function renderText(
  format: StatementFormat,
  sheet: Sheet,
  lines: readonly StatementLine[],
): Promise<string> {
  if (format === "pdf") return (await import("./pdf.ts")).renderPdf(sheet, lines);
  const { head, line, tail } = await importForm(format);
  return [head(sheet), ...lines.map((one, index) => line(sheet, one, index === 0)), tail(sheet)].join("");
}

/** RFC 4180 in UTF-8, with amounts in minor units. The balances have rows of their own. */
const csvForm: Form = {
  head: ({ firstDay, openingMinor }) =>
    toCsvRow(["type", "date", "description", "amount", "balance", "transId", "journalEntryId"]) +
    toCsvRow(["opening", firstDay, "Opening balance", "", openingMinor, "", ""]),
  line: (_, { type, date, description, amount, balance, transId, journalEntryId }) =>
    toCsvRow([type, date, description, amount, balance, transId, journalEntryId]),
  tail: ({ lastDay, closingMinor }) =>
    toCsvRow(["closing", lastDay, "Closing balance", "", closingMinor, "", ""]),
};
