import { toLabel } from "./labels.ts";
import { type Table, toTable } from "./page.ts";
import { toCell } from "./values.ts";

/** A few items that are all read. Only the columns that are named are shown. */
export function itemTable(
  title: string,
  { kind, programId }: { readonly kind: string; readonly programId: string },
  columns: readonly string[],
  items: readonly Readonly<Record<string, unknown>>[],
): Table {
  const rows = items.map((item) => columns.map((name) => toCell({ kind, programId }, name, item[name])));
  const labels = columns.map((name) => toLabel(name, kind));
  return toTable(title, labels, rows, `${items.length}.`);
}
