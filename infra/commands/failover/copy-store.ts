import { isDeepStrictEqual } from "node:util";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  PutCommand,
  paginateScan,
} from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { localCredentials } from "../../command-line/connection.ts";
import { readConnectionFile } from "../../command-line/connection-file.ts";
import { Store } from "../audit/connect-store.ts";

const CopiedStore = Store.extend({
  /** Its policy admits nobody but the vault: docs/restore.md says how it is copied. */
  vaultTable: z.string().optional(),
});

/** Makes the tables of the one store as those of the other, which have the same names. */
export async function copyStore(fromFile: string, toFile: string, say: (line: string) => void) {
  const read = (file: string) => readConnectionFile(file, z.object({ store: CopiedStore })).store;
  const [from, to] = [read(fromFile), read(toFile)];
  const clients = { from: connect(from), to: connect(to) };
  const copied: Record<string, { written: number; deleted: number }> = {};
  try {
    for (const table of [from.issuingTable, from.accountsTable, from.vaultTable]) {
      if (table === undefined) continue;
      copied[table] = await copyTable({ ...clients, table });
      say(`${table}: ${copied[table].written} items written, ${copied[table].deleted} deleted`);
    }
  } finally {
    for (const client of Object.values(clients)) client.destroy();
  }
  return copied;
}

function connect({ region, endpoint }: Store): DynamoDBDocumentClient {
  const local = endpoint !== undefined && { endpoint, credentials: localCredentials };
  return DynamoDBDocumentClient.from(new DynamoDBClient({ region, ...local }));
}

type Item = Record<string, unknown>;

const keyText = ({ pk, sk }: Item) => JSON.stringify([pk, sk]);

/** A table of this name in each of two regions. */
export interface Regions {
  readonly from: DynamoDBDocumentClient;
  readonly to: DynamoDBDocumentClient;
  readonly table: string;
}

/** BatchGetItem takes no more. */
const most = 100;

/**
 * Makes the one table as the other, item by item, and leaves what is equal. Nothing may write
 * meanwhile. Repeated, it does no more. Returns how many items differed.
 */
export async function copyTable({ from, to, table }: Regions): Promise<{ written: number; deleted: number }> {
  let [written, deleted] = [0, 0];
  for await (const items of readPages(from, table)) {
    const found = await readItems(to, table, items);
    for (const item of items) {
      if (isDeepStrictEqual(found.get(keyText(item)), item)) continue;
      await to.send(new PutCommand({ TableName: table, Item: item }));
      written += 1;
    }
  }
  for await (const items of readPages(to, table)) {
    const kept = await readItems(from, table, items);
    for (const { pk, sk } of items) {
      if (kept.has(keyText({ pk, sk }))) continue;
      await to.send(new DeleteCommand({ TableName: table, Key: { pk, sk } }));
      deleted += 1;
    }
  }
  return { written, deleted };
}

async function* readPages(client: DynamoDBDocumentClient, TableName: string): AsyncGenerator<Item[]> {
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true }))
    for (let start = 0; start < Items.length; start += most) yield Items.slice(start, start + most);
}

async function readItems(client: DynamoDBDocumentClient, table: string, items: readonly Item[]) {
  const found = new Map<string, Item>();
  let left: Item[] | undefined = items.map(({ pk, sk }) => ({ pk, sk }));
  while (left !== undefined && left.length > 0) {
    const RequestItems = { [table]: { Keys: left, ConsistentRead: true } };
    const answer: {
      Responses?: Record<string, Item[]>;
      UnprocessedKeys?: Record<string, { Keys?: Item[] }>;
    } = (await client.send(new BatchGetCommand({ RequestItems }))) as never;
    for (const item of answer.Responses?.[table] ?? []) found.set(keyText(item), item);
    left = answer.UnprocessedKeys?.[table]?.Keys;
  }
  return found;
}
