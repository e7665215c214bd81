import * as z from "zod";
import { AccountUpdateView } from "../contract/account-updates.ts";
import { AuthorizationView } from "../contract/authorizations.ts";
import { CardListItem } from "../contract/cards.ts";
import { BalanceRow, type ReportFormat, type ReportKind } from "../contract/reports.ts";
import { FeesViewResponse, TransactionsViewResponse } from "../contract/transactions.ts";
import { type Cell, toCsvRow } from "../platform/csv.ts";

/** What a row of each kind is: an item of its list. */
const rowShapes: Readonly<Record<ReportKind, z.ZodObject>> = {
  transactions: TransactionsViewResponse,
  fees: FeesViewResponse,
  cards: CardListItem,
  balances: BalanceRow,
  account_updates: AccountUpdateView,
  authorizations: AuthorizationView,
};

export type Row = Readonly<Record<string, unknown>>;

interface ReportForm {
  readonly contentType: string;
  readonly head: (kind: ReportKind) => string;
  readonly row: (kind: ReportKind, row: Row) => string;
}

export const reportForms: Readonly<Record<ReportFormat, ReportForm>> = {
  /** RFC 4180, in UTF-8. */
  csv: {
    contentType: "text/csv; charset=utf-8",
    head: (kind) => toCsvRow(toColumns(kind)),
    row: (kind, row) => toCsvRow(toColumns(kind).map((column) => toCell(valueAt(row, column)))),
  },
  jsonl: {
    contentType: "application/x-ndjson",
    head: () => "",
    row: (kind, row) => `${JSON.stringify(rowShapes[kind].parse(row))}\n`,
  },
};

const columns = new Map<ReportKind, readonly string[]>();

/** The fields, with those of an object by its name and theirs. */
function toColumns(kind: ReportKind): readonly string[] {
  const known = columns.get(kind) ?? fieldNames(rowShapes[kind]);
  columns.set(kind, known);
  return known;
}

function fieldNames({ shape }: z.ZodObject): string[] {
  return Object.entries(shape).flatMap(([name, field]) => {
    const inner = field instanceof z.ZodOptional ? field.unwrap() : field;
    return inner instanceof z.ZodObject ? fieldNames(inner).map((one) => `${name}.${one}`) : [name];
  });
}

function valueAt(row: Row, column: string): unknown {
  return column.split(".").reduce<unknown>((value, name) => (value as Row | undefined)?.[name], row);
}

function toCell(value: unknown): Cell {
  if (typeof value === "number" || typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  return typeof value === "boolean" ? String(value) : JSON.stringify(value);
}
