import { toLabel } from "./labels.ts";
import type { Changed } from "./page.ts";
import { type Context, toCell } from "./values.ts";

/** Beyond these, a change would fill a page: the API has it whole. */
const longest = 200;

/** Each field that differs between two states of a record, such as a Program's settings. */
export function differences(context: Context, before: unknown, after: unknown): Changed[] {
  const [old, young] = [listLeaves(before), listLeaves(after)];
  return [...new Set([...old.keys(), ...young.keys()])].flatMap((path) => {
    const [was, is] = [old.get(path), young.get(path)];
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    const changed = path
      .split(".")
      .map((part) => toLabel(part))
      .join(", ");
    return [
      {
        changed,
        ...(was !== undefined && { before: toText(context, path, was) }),
        ...(is !== undefined && { after: toText(context, path, is) }),
      },
    ];
  });
}

/** Values by the paths that lead to them; lists of texts and numbers are values. */
function listLeaves(value: unknown, path: readonly string[] = []): Map<string, unknown> {
  if (value === undefined || value === null) return new Map();
  const isLeaf =
    typeof value !== "object" || (Array.isArray(value) && value.every((one) => typeof one !== "object"));
  if (isLeaf) return new Map([[path.join("."), value]]);
  return new Map(Object.entries(value).flatMap(([name, part]) => [...listLeaves(part, [...path, name])]));
}

function toText(context: Context, path: string, value: unknown): string {
  const texts = [value].flat().map((one) => {
    const cell = toCell(context, path, one);
    if ("time" in cell) return cell.time.slice(0, 19).replace("T", " ");
    return "text" in cell ? cell.text : String(one);
  });
  const text = texts.length === 0 ? "none" : texts.join(", ");
  return text.length > longest ? `${text.slice(0, longest)}…` : text;
}
