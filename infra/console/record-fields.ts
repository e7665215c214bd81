import { toLabel } from "./labels.ts";
import type { Fields, Item } from "./page.ts";
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
