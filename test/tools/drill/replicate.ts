import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  type AttributeValue,
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
} from "@aws-sdk/client-dynamodb";

const storeFile = path.join("dynamodb", "dynoxide", "data.db");

/** A change of one item, as the stream of the first store has it. */
interface Change {
  readonly table: string;
  readonly keys: Record<string, AttributeValue>;
  readonly item: Record<string, AttributeValue> | undefined;
}

/** So often two changes of an item come as one. */
const joined = 0.2;

/** How far the stream has come. */
export function streamEnd(directory: string): number {
  const source = new DatabaseSync(path.join(directory, storeFile), { readOnly: true });
  const row = source.prepare("SELECT coalesce(max(id), 0) AS last FROM _stream_records").get();
  source.close();
  return Number(row?.last);
}

export function changesSince(directory: string, after: number): Change[] {
  const source = new DatabaseSync(path.join(directory, storeFile), { readOnly: true });
  const rows = source
    .prepare("SELECT table_name, keys_json, new_image FROM _stream_records WHERE id > ? ORDER BY id")
    .all(after);
  source.close();
  return rows.map(({ table_name: table, keys_json: keys, new_image: item }) => ({
    table: String(table),
    keys: JSON.parse(String(keys)),
    item: item === null ? undefined : JSON.parse(String(item)),
  }));
}

/**
 * What of it the other region has got when the first one is lost: each item's changes come in their
 * order, but items come independently of each other, up to `lag` changes late. Changes of an item
 * that come soon after each other may come as one.
 */
export function arrived(changes: readonly Change[], lag: number, random: () => number): Change[] {
  const lastOf = new Map<string, number>();
  const come = changes
    .map((change, index) => {
      // The engine's records have the keys in any order.
      const { pk, sk } = change.keys;
      const item = JSON.stringify([change.table, pk, sk]);
      const at = Math.max(lastOf.get(item) ?? 0, index + random() * lag);
      lastOf.set(item, at);
      return { change, item, at };
    })
    .filter(({ at }) => at < changes.length)
    .toSorted((left, right) => left.at - right.at);
  const isJoined = come.map(({ item, at }, index) => {
    const next = come.slice(index + 1).find((other) => other.item === item);
    return next !== undefined && next.at - at < lag / 4 && random() < joined;
  });
  return come.filter((_, index) => !isJoined[index]).map(({ change }) => change);
}

export async function apply(dynamo: DynamoDBClient, changes: readonly Change[]): Promise<void> {
  for (const { table: TableName, keys: Key, item: Item } of changes) {
    if (Item === undefined) await dynamo.send(new DeleteItemCommand({ TableName, Key }));
    else await dynamo.send(new PutItemCommand({ TableName, Item }));
  }
}
