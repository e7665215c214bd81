import { toLabel } from "./labels.ts";
import type { Table } from "./page.ts";
import { toCell } from "./values.ts";

/** A few items that are all read. Only the columns that are named are shown. */
export function itemTable(
  title: string,
  { kind, programId }: { readonly kind: string; readonly programId: string },
  columns: readonly string[],
  items: readonly Readonly<Record<string, unknown>>[],
): Table {
  return {
    kind: "table",
    title,
    columns: columns.map((name) => ({ name: toLabel(name, kind) })),
    rows: items.map((item) => columns.map((name) => toCell({ kind, programId }, name, item[name]))),
    summary: `${items.length}.`,
  };
}
