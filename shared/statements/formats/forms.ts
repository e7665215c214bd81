import { countDecimals, toDecimal } from "../../contract/currencies.ts";
import { type Document, mediaTypes } from "../../contract/route.ts";
import type { StatementFormat, StatementLine } from "../../contract/statements.ts";
import { type Cell, toCsvRow } from "../../platform/csv.ts";
import type { PdfState } from "./pdf-state.ts";
import type { Form, Sheet } from "./sheet.ts";

/** Imported with the first statement of the form. */
const forms = {
  json: async () => (await import("./json.ts")).jsonForm,
  csv: () => Promise.resolve(csvForm),
  camt053: async () => (await import("./camt053.ts")).camt053Form,
} as const satisfies Partial<Record<StatementFormat, () => Promise<Form>>>;

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

async function renderText(format: StatementFormat, sheet: Sheet, lines: readonly StatementLine[]) {
  return (await writePart(format, sheet, lines, { isFirst: true, isLast: true })).text;
}

export interface Place {
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** What the part before has returned, if it has. */
  readonly state?: PdfState | undefined;
}

/** The text of a part of a statement: the same wherever a statement is parted. */
export async function writePart(
  format: StatementFormat,
  sheet: Sheet,
  lines: readonly StatementLine[],
  { isFirst, isLast, state }: Place,
): Promise<{ text: string; state?: PdfState }> {
  if (format === "pdf") {
    const { writePdf } = await import("./write-pdf.ts");
    return writePdf({ sheet, lines, state, isLast });
  }
  const { head, line, tail } = await forms[format]();
  const texts = [
    isFirst ? head(sheet) : "",
    ...lines.map((one, index) => line(sheet, one, isFirst && index === 0)),
    isLast ? tail(sheet) : "",
  ];
  return { text: texts.join("") };
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
