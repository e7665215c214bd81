import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync, gzipSync } from "node:zlib";
import {
  BatchWriteItemCommand,
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DynamoDBClient,
  paginateScan,
  type WriteRequest,
} from "@aws-sdk/client-dynamodb";

interface StoredTable {
  readonly definition: CreateTableCommandInput;
  readonly items: readonly Item[];
}
type Item = NonNullable<NonNullable<WriteRequest["PutRequest"]>["Item"]>;

/** What a platform has stored, and whose it is. */
export interface Store {
  /** `storeLayout` of the version that stored it. */
  readonly layout: number;
  readonly tenantId: string;
  readonly programId: string;
  readonly walletId: string;
  /** When, by the platform's clock. */
  readonly recordedAt: number;
  /** What the local gateway knows of usage plans: `usage-keys.json`. */
  readonly usageKeys: string;
  readonly tables: readonly StoredTable[];
}

/** Tables of a platform that has come to rest, with their indexes and items. */
export async function readTables(endpoint: string, names: readonly string[]): Promise<StoredTable[]> {
  using client = clientOf(endpoint);
  const tables: StoredTable[] = [];
  for (const TableName of names) {
    const items: Item[] = [];
    for await (const page of paginateScan({ client }, { TableName })) {
      items.push(...((page.Items ?? []) as Item[]));
    }
    tables.push({ definition: await definitionOf(client, TableName), items });
  }
  return tables;
}

async function definitionOf(client: DynamoDBClient, TableName: string): Promise<CreateTableCommandInput> {
  const { Table = {} } = await client.send(new DescribeTableCommand({ TableName }));
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes = [] } = Table;
  const indexes = GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }) => ({
    IndexName,
    KeySchema,
    Projection,
  }));
  return {
    TableName,
    KeySchema,
    AttributeDefinitions,
    BillingMode: "PAY_PER_REQUEST",
    ...(indexes.length > 0 && { GlobalSecondaryIndexes: indexes }),
  };
}

/** Creates the tables with the indexes of their time. Without streams: all items have been read. */
export async function writeTables(endpoint: string, tables: readonly StoredTable[]): Promise<void> {
  using client = clientOf(endpoint);
  for (const { definition, items } of tables) {
    await client.send(new CreateTableCommand(definition));
    for (let first = 0; first < items.length; first += 25) {
      const puts = items.slice(first, first + 25).map((Item) => ({ PutRequest: { Item } }));
      const RequestItems = { [String(definition.TableName)]: puts };
      const { UnprocessedItems = {} } = await client.send(new BatchWriteItemCommand({ RequestItems }));
      if (Object.keys(UnprocessedItems).length > 0) throw new Error("The engine did not take all items.");
    }
  }
}

export function readStoreFile(file: string): Store {
  const text = gunzipSync(readFileSync(file)).toString("utf8");
  return JSON.parse(text, (_, value) => (isBytes(value) ? Buffer.from(value.base64, "base64") : value));
}

export function writeStoreFile(file: string, store: Store): void {
  const text = JSON.stringify(store, function (this: Record<string, unknown>, key, value) {
    const original = this[key];
    if (original instanceof Uint8Array) return { base64: Buffer.from(original).toString("base64") };
    return typeof value === "string" && value.startsWith("whsec_") ? fakeSecret : value;
  });
  writeFileSync(file, gzipSync(text, { level: 9 }));
}

/** In the place of every secret that signs webhooks. */
const fakeSecret = `whsec_${Buffer.from("a secret of the recorded store").toString("base64")}`;

function isBytes(value: unknown): value is { base64: string } {
  return typeof value === "object" && value !== null && "base64" in value;
}

function clientOf(endpoint: string): DynamoDBClient & Disposable {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const client = new DynamoDBClient({ endpoint, credentials, region: "us-east-1" });
  return Object.assign(client, { [Symbol.dispose]: () => client.destroy() });
}
