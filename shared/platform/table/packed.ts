import { crc32, deflateRawSync, inflateRawSync } from "node:zlib";
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { ulidAlphabet } from "../../contract/identifiers.ts";
import { packedKinds } from "../../contract/packed-items.ts";
import type { Key } from "./keys.ts";

type Item = Readonly<Record<string, unknown>>;
type Attributes = Record<string, AttributeValue>;

/** What is packed. The digit is of the dictionaries: others would have another. */
export const packedName = "z1";

/** What tables, streams and lists read of any item as it is stored. */
const alwaysPlain = ["pk", "sk", "expiresAtSeconds", "listed", "outbox"];

const kinds = new Map(
  Object.entries(packedKinds).map(([kind, { plain, dictionary }]) => [
    kind,
    { plain: new Set([...alwaysPlain, ...plain]), dictionary },
  ]),
);

/** The window covers the dictionary and an item. Less memory is faster to set up. */
const effort = { windowBits: 13, memLevel: 2, chunkSize: 1_024 };
const checkBytes = 4;

function findKind({ sk }: { readonly sk?: unknown }) {
  return kinds.get(String(sk).split("#")[0] ?? "");
}

/** An item's own ids, and the time of its last one, cost nothing: they are in the dictionary. */
function makeDictionary({ dictionary }: { readonly dictionary: string }, { pk, sk }: Item): Buffer {
  const key = `${pk}#${sk}`;
  return Buffer.from(`${dictionary}${madeAt(key)}${key}`);
}

const lastUlid = new RegExp(`.*_([${ulidAlphabet}]{10})`, "s");

function madeAt(key: string): string {
  const [, time] = lastUlid.exec(key) ?? [];
  if (time === undefined) return "";
  const ms = [...time].reduce((sum, digit) => sum * 32 + ulidAlphabet.indexOf(digit), 0);
  return new Date(ms).toISOString();
}

/** Whether expressions can name the attribute: it is stored by itself. */
export function isPlain(key: Key, name: string): boolean {
  return isKept(findKind(key)?.plain, name);
}

/** A stamp says with each item which transaction wrote it. */
function isKept(plain: ReadonlySet<string> | undefined, name: string): boolean {
  return !plain || plain.has(name) || name.startsWith("written");
}

/** As it is stored. */
export function packItem(item: Item): Item {
  const kind = findKind(item);
  if (!kind || packedName in item) return item;
  const plain: Record<string, unknown> = {};
  const others: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(item)) (isKept(kind.plain, name) ? plain : others)[name] = value;
  const text = JSON.stringify(others);
  // It is a key.
  if (text === "{}") return item;
  const bytes = deflateRawSync(text, { ...effort, dictionary: makeDictionary(kind, item) });
  return { ...plain, [packedName]: Buffer.concat([bytes, makeCheck(text)]) };
}

/** Another dictionary, or other bytes, would give another text. */
function makeCheck(text: string): Buffer {
  const check = Buffer.alloc(checkBytes);
  check.writeUInt32BE(crc32(text));
  return check;
}

/**
 * As it was written. What was set since stands beside what is packed, and comes before it: null is
 * what was removed. In a stream's record, bytes are in base64.
 * @throws Error if it is not what was packed
 */
export function unpackItem<T extends Item | undefined>(item: T): T {
  const packed = item?.[packedName];
  const kind = item && findKind(item);
  if (!packed || !kind) return item;
  const bytes = Buffer.from(packed as string, "base64");
  const { [packedName]: _, ...beside } = item;
  const text = inflateRawSync(bytes.subarray(0, -checkBytes), {
    ...effort,
    dictionary: makeDictionary(kind, item),
  }).toString();
  if (!makeCheck(text).equals(bytes.subarray(-checkBytes)))
    throw new Error(`The item ${item.pk} ${item.sk} is not what was packed.`);
  const whole: Record<string, unknown> = { ...JSON.parse(text), ...beside };
  for (const [name, value] of Object.entries(beside))
    if (value === null && !isKept(kind.plain, name)) delete whole[name];
  return whole as T;
}

export function fromStored(attributes: Attributes): Record<string, unknown> {
  return unpackItem(unmarshall(attributes));
}

export function toStored(item: Item): Attributes {
  return marshall(packItem(item), { removeUndefinedValues: true });
}

const itemFields = new Set([
  "Item",
  "Key",
  "Attributes",
  "ExpressionAttributeValues",
  "ExclusiveStartKey",
  "LastEvaluatedKey",
]);
const listFields = new Set(["Items", "Keys"]);
/** What a batch has by the names of tables. A transaction's `Responses` are a list. */
const byTable: Readonly<Record<string, string>> = {
  Responses: "Items",
  ...{ RequestItems: "", UnprocessedKeys: "", UnprocessedItems: "" },
};

/** An input or an answer, with each item in it converted. */
export function convertItems(value: unknown, convert: (item: never) => unknown, name = ""): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (itemFields.has(name)) return convert(value as never);
  if (Array.isArray(value)) {
    if (listFields.has(name)) return value.map((item) => convert(item as never));
    return value.map((one) => convertItems(one, convert));
  }
  const converted: Record<string, unknown> = {};
  for (const [field, inner] of Object.entries(value)) {
    const isTable = Object.hasOwn(byTable, name);
    converted[field] = convertItems(inner, convert, isTable ? byTable[name] : field);
  }
  return converted;
}
