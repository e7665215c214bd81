import { toLabel } from "./labels.ts";
import { type Fields, type Item, type Table, toTable } from "./page.ts";
import { type Context, toCell, valueAt } from "./values.ts";

/** Names of attributes that stand in a text, one after the other. */
export function toNames(text: string): readonly string[] {
  return text.split(/\s+/);
}

/** Only what is named: whatever else an item has stays where it is. */
export function toFields(title: string, names: readonly string[], item: Item, context: Context): Fields {
  const fields = names.flatMap((name) => {
    const value = valueAt(item, name);
    if (value === undefined) return [];
    return [{ name: name === "entityId" ? "Id" : toLabel(name), value: toCell(context, name, value) }];
  });
  return { kind: "fields", title, fields };
}

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
