import { toLabel } from "./labels.ts";
import { type Cell, type Fields, type Item, type Link, type Table, toTable } from "./page.ts";
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

interface TableOptions<One> {
  /** Cells that are not made of an attribute's value alone, by the column's name. */
  readonly cells?: Readonly<Record<string, (item: One) => Cell | undefined>>;
  readonly summary?: string;
  readonly more?: readonly Link[];
  /** What differs from item to item, such as where an amount's journal entries are. */
  readonly of?: (item: One) => Partial<Context>;
}

/** Only the columns that are named are shown. */
export function itemTable<One extends object>(
  title: string,
  context: Context,
  columns: readonly string[],
  items: readonly One[],
  { cells = {}, summary = `${items.length}.`, more, of }: TableOptions<One> = {},
): Table {
  const rows = items.map((item) => {
    const own = { ...context, ...of?.(item) };
    return columns.map((name) => cells[name]?.(item) ?? toCell(own, name, valueAt(item, name)));
  });
  const labels = columns.map((name) => toLabel(name, context.kind));
  return toTable(title, labels, rows, summary, more);
}
