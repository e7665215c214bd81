import { holdList } from "../../../shared/authorizations/holds/hold.ts";
import { streamedChanges } from "../../../shared/list-kinds.ts";
import {
  changedEntries,
  type Entry,
  type ListKind,
  listAttributes,
  type StoredRecord,
  type Value,
} from "../../../shared/lists/kind.ts";
import { newId, randomInteger, randomToken } from "../../../shared/platform/id.ts";
import { SegmentsInMemory } from "../../shared/lists/segments-in-memory.ts";

/** How long the list is in which an entry is measured: a longer one has more sorted copies. */
export const measuredEntries = 50_000;
/** Of a part's keys, and what DynamoDB adds to each item. */
const partBytes = 160;

const known = new Map<string, number>();

/** The lists that a row of changes adds entries to. All holds sum up to one entry. */
export function changedLists(item: StoredRecord): ListedChange[] {
  return streamedChanges(item).filter(
    ({ list, row }) => list.kind !== holdList && changedEntries(row).length > 0,
  );
}

type ListedChange = ReturnType<typeof streamedChanges>[number];

/** The bytes of a change's entries in their list's merged segments. */
export async function entryBytes({ list: { kind }, row }: ListedChange): Promise<number> {
  const entries = changedEntries(row);
  const [example] = entries;
  if (!example) return 0;
  const bytes = known.get(kind.name) ?? (await measureEntry(kind, example));
  known.set(kind.name, bytes);
  // A tombstone and the entry that it removes cancel.
  return bytes * entries.reduce((sum, { weight }) => sum + weight, 0);
}

async function measureEntry(kind: ListKind, example: Entry): Promise<number> {
  const segments = new SegmentsInMemory(kind);
  await segments.add(Array.from({ length: measuredEntries }, (_, index) => vary(kind, example, index)));
  const { bytes, parts } = segments.size();
  return (bytes + parts * partBytes) / measuredEntries;
}

/** One a second, with other ids, amounts and texts. */
function vary(kind: ListKind, { id, createdAt, values }: Entry, index: number): Entry {
  const attributes = listAttributes(kind);
  const laterMs = index * 1_000;
  return {
    id: freshId(id),
    createdAt: createdAt + laterMs,
    weight: 1,
    values: values.map((value, column) => {
      if (typeof value === "number" && kind.times?.includes(attributes[column] ?? "")) return value + laterMs;
      const few = fewValues[attributes[column] ?? ""];
      if (few) return few[randomInteger(0, few.length)] ?? value;
      return column < kind.filters.length ? value : other(value);
    }),
  };
}

function freshId(id: string): string {
  return `${id.slice(0, id.indexOf("_") + 1)}${newId("event").slice(4)}`;
}

const identifier = /^[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26}$/;
const fewIds = Array.from({ length: 5_000 }, () => newId("card").slice(4));

/** Texts that are few, and so pack well: most money goes to a few kinds of merchants. */
const fewValues: Readonly<Record<string, readonly string[]>> = {
  type: [...Array.from({ length: 9 }, () => "DR"), "CR"],
  mcc: Array.from({ length: 300 }, (_, at) => String(5_000 + (at % 2 === 0 ? at : at % 10))),
};

function other(value: Value): Value {
  if (typeof value === "number") return randomInteger(0, 25_000);
  if (value === null) return null;
  if (identifier.test(value)) return `${value.slice(0, 4)}${fewIds[randomInteger(0, fewIds.length)]}`;
  return randomToken(Math.ceil(value.length * 0.75)).slice(0, value.length);
}
