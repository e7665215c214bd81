import type { TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { randomToken } from "../id.ts";
import { sha256 } from "../sha256.ts";

type Items = NonNullable<TransactWriteCommandInput["TransactItems"]>;
type Put = NonNullable<Items[number]["Put"]>;
type Update = NonNullable<Items[number]["Update"]>;

/** The item's last transaction. */
export const writtenWith = "writtenWith";
/** What else that transaction wrote and deleted. */
export const writtenAll = "writtenAll";
/** The item's transactions before the last one, back to the first or an unknown one. */
export const writtenBefore = ["writtenBefore1", "writtenBefore2", "writtenBefore3"] as const;
export const [first, unknown] = ["-", "?"];

/** Short places of the items that are written; table and key of those that are deleted. */
export interface WrittenAll {
  readonly places: string;
  readonly deleted?: readonly (readonly [table: string, pk: string, sk: string])[];
}

export const placeLength = 12;

export function toPlace(table: string, { pk, sk }: Readonly<Record<string, unknown>>): string {
  return sha256(JSON.stringify([table, pk, sk])).slice(0, placeLength);
}

/**
 * Says with each item which transaction wrote it, and what else that wrote. A replica in another
 * region gets the items one by one, and may get two changes of one as one. When a region is lost,
 * some may be without the others: `npm run failover` undoes these.
 */
export function stamped(items: Items): Items {
  const places: string[] = [];
  const deleted: (readonly [string, string, string])[] = [];
  for (const { Put, Update, Delete } of items) {
    const key = Put?.Item ?? Update?.Key;
    if (key) places.push(toPlace(String((Put ?? Update)?.TableName), key));
    if (Delete?.Key) deleted.push([String(Delete.TableName), Delete.Key.pk, Delete.Key.sk]);
  }
  const all: WrittenAll = { places: places.join(""), ...(deleted.length > 0 && { deleted }) };
  const stamp = { [writtenWith]: randomToken(9) + (places.length + deleted.length), [writtenAll]: all };
  return items.map((item) => {
    if (item.Put) return { Put: stampedPut(item.Put, stamp) };
    return item.Update ? { Update: stampedUpdate(item.Update, stamp) } : item;
  });
}

type Stamp = Readonly<Record<string, unknown>>;

function stampedPut(put: Put, stamp: Stamp): Put {
  const [last, ...earlier] = writtenBefore;
  const others = Object.entries(put.Item ?? {}).filter(([name]) => !earlier.some((one) => one === name));
  return { ...put, Item: { ...Object.fromEntries(others), ...stamp, [last]: isNew(put) ? first : unknown } };
}

function isNew({ ConditionExpression = "", ExpressionAttributeNames: names = {} }: Put): boolean {
  const [, name = ""] = /^attribute_not_exists\((#\w+)\)$/.exec(ConditionExpression) ?? [];
  return names[name] === "pk";
}

const chain = [writtenWith, ...writtenBefore];
const sets = [
  ...[writtenWith, writtenAll].map((name) => `#${name} = :${name}`),
  ...writtenBefore.map((name, index) => `#${name} = if_not_exists(#${chain[index]}, :first)`),
].join(", ");
const names = Object.fromEntries([...chain, writtenAll].map((name) => [`#${name}`, name]));

function stampedUpdate(update: Update, stamp: Stamp): Update {
  const before = update.UpdateExpression ?? "";
  const values = Object.entries(stamp).map(([name, value]) => [`:${name}`, value]);
  return {
    ...update,
    UpdateExpression: /(^| )SET /.test(before)
      ? before.replace(/(^| )SET /, `$1SET ${sets}, `)
      : `SET ${sets} ${before}`.trim(),
    ExpressionAttributeNames: { ...update.ExpressionAttributeNames, ...names },
    ExpressionAttributeValues: {
      ...update.ExpressionAttributeValues,
      ...Object.fromEntries(values),
      ":first": first,
    },
  };
}
