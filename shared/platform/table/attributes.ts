/** Values as DynamoDB's JSON has them. */

export type Attribute = Readonly<Record<string, unknown>>;
type Attributes = Readonly<Record<string, Attribute>>;
type Fields = Readonly<Record<string, unknown>>;

/** Without fields that are undefined. */
export function toAttributes(item: Fields): Attributes {
  const attributes: Record<string, Attribute> = {};
  for (const name of Object.keys(item)) {
    const value = item[name];
    if (value !== undefined) attributes[name] = toAttribute(value);
  }
  return attributes;
}

/** @throws TypeError for what DynamoDB would not give back as it is */
function toAttribute(value: unknown): Attribute {
  switch (typeof value) {
    case "string":
      return { S: value };
    case "number":
      return { N: toNumber(value) };
    case "bigint":
      return { N: String(value) };
    case "boolean":
      return { BOOL: value };
    case "object":
      return fromObject(value);
    default:
      throw new TypeError(`DynamoDB takes no ${typeof value}.`);
  }
}

function fromObject(value: object | null): Attribute {
  if (value === null) return { NULL: true };
  if (Array.isArray(value)) return { L: value.filter((one) => one !== undefined).map(toAttribute) };
  if (value instanceof Uint8Array) return { B: Buffer.from(value).toString("base64") };
  if (value instanceof Set) return toSet([...value].filter((one) => one !== undefined));
  const prototype = Object.getPrototypeOf(value);
  if (prototype === null || prototype.constructor?.name === "Object")
    return { M: toAttributes(value as Fields) };
  throw new TypeError(`DynamoDB takes no ${prototype.constructor?.name}.`);
}

function toNumber(value: number): string {
  if (Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value)) return String(value);
  throw new TypeError(`DynamoDB would not keep ${value} as it is.`);
}

function toSet(values: readonly unknown[]): Attribute {
  const parts = values.map((one) => Object.entries(toAttribute(one))[0] ?? []);
  const [[type] = []] = parts;
  if (type === undefined || !["S", "N", "B"].includes(type) || parts.some(([other]) => other !== type))
    throw new TypeError("DynamoDB's sets have texts, numbers or bytes, at least one.");
  return { [`${type}S`]: parts.map(([, value]) => value) };
}

export function fromAttributes(attributes: Attributes): Record<string, unknown> {
  const item: Record<string, unknown> = {};
  for (const name of Object.keys(attributes)) item[name] = fromAttribute(attributes[name] as Attribute);
  return item;
}

function fromAttribute(attribute: Attribute): unknown {
  for (const type in attribute) {
    const value = attribute[type];
    switch (type) {
      case "S":
      case "BOOL":
        return value;
      case "N":
        return fromNumber(value as string);
      case "M":
        return fromAttributes(value as Attributes);
      case "L":
        return (value as Attribute[]).map(fromAttribute);
      case "NULL":
        return null;
      case "B":
        return fromBytes(value);
      case "SS":
        return new Set(value as string[]);
      case "NS":
        return new Set((value as string[]).map(fromNumber));
      case "BS":
        return new Set((value as unknown[]).map(fromBytes));
    }
  }
  throw new TypeError(`DynamoDB has no ${Object.keys(attribute).join()}.`);
}

function fromNumber(text: string): number | bigint {
  const value = Number(text);
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? BigInt(text) : value;
}

/** Text from DynamoDB; a stream's event or the SDK may have read it. */
function fromBytes(value: unknown): Uint8Array {
  return value instanceof Uint8Array ? value : new Uint8Array(Buffer.from(String(value), "base64"));
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
