import { countDecimals, toDecimal } from "../../contract/currencies.ts";
import { type Document, mediaTypes } from "../../contract/route.ts";
import type { StatementFormat, StatementLine } from "../../contract/statements.ts";
import { type Cell, toCsvRow } from "../../platform/csv.ts";
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

const csvColumns = [
  ...["type", "date", "description", "amount", "balance", "transId", "journalEntryId"],
  ...["currency", "decimalAmount", "decimalBalance"],
];

/**
 * RFC 4180 in UTF-8: amounts in minor units, and as people read them. The balances have rows of
 * their own.
 */
const csvForm: Form = {
  head: (sheet) =>
    toCsvRow(csvColumns) +
    balanceRow(sheet, "opening", sheet.firstDay, "Opening balance", sheet.openingMinor),
  line: ({ currency }, { type, date, description, amount, balance, transId, journalEntryId }) => {
    const figures = [amount, balance].map((minor) => toFigure(minor, currency));
    return toCsvRow([
      ...[type, date, description, amount, balance, transId, journalEntryId],
      ...[currency, ...figures],
    ]);
  },
  tail: (sheet) => balanceRow(sheet, "closing", sheet.lastDay, "Closing balance", sheet.closingMinor),
};

function balanceRow({ currency }: Sheet, type: string, day: string, name: string, minor: number): string {
  return toCsvRow([type, day, name, "", minor, "", "", currency, "", toFigure(minor, currency)]);
}

function toFigure(minor: number, currency: string): Cell {
  return { figure: toDecimal(minor, countDecimals(currency)) };
}
