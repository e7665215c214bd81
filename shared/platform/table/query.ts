import type { QueryCommandInput, ScanCommandInput } from "@aws-sdk/lib-dynamodb";
import { environment } from "../environment.ts";
import { table } from "./client.ts";
import { QueryCommand, ScanCommand } from "./commands.ts";

type Item = Readonly<Record<string, unknown>>;

/** Sort keys that begin with a text, or that lie between two, both included. */
type SortKeys = string | { readonly first: string; readonly last: string };

/** The items of a partition, in key order, by consistent reads. */
export function toPartitionQuery(pk: string, sortKeys: SortKeys = "", TableName = environment.issuingTable) {
  const query = { TableName, ConsistentRead: true };
  // DynamoDB rejects an empty value for a key.
  if (sortKeys === "") {
    return { ...query, KeyConditionExpression: "pk = :pk", ExpressionAttributeValues: { ":pk": pk } };
  }
  const isPrefix = typeof sortKeys === "string";
  const { first, last } = isPrefix ? { first: sortKeys, last: undefined } : sortKeys;
  return {
    ...query,
    KeyConditionExpression: `pk = :pk AND ${isPrefix ? "begins_with(sk, :first)" : "sk BETWEEN :first AND :last"}`,
    ExpressionAttributeValues: { ":pk": pk, ":first": first, ...(last !== undefined && { ":last": last }) },
  };
}

export async function* readPages(query: QueryCommandInput): AsyncGenerator<Item[], void> {
  let { ExclusiveStartKey } = query;
  do {
    const page = await table.send(new QueryCommand({ ...query, ExclusiveStartKey }));
    ExclusiveStartKey = page.LastEvaluatedKey;
    yield page.Items ?? [];
  } while (ExclusiveStartKey);
}

/** A whole table, or a segment of it. */
export async function* scanPages(scan: ScanCommandInput): AsyncGenerator<Item[], void> {
  let { ExclusiveStartKey } = scan;
  do {
    const page = await table.send(new ScanCommand({ ...scan, ExclusiveStartKey }));
    ExclusiveStartKey = page.LastEvaluatedKey;
    yield page.Items ?? [];
  } while (ExclusiveStartKey);
}

/** Reads page by page, as the items are taken. */
export async function* readItems(query: QueryCommandInput): AsyncGenerator<Item, void> {
  for await (const items of readPages(query)) yield* items;
}

export async function readAllItems(query: QueryCommandInput): Promise<Item[]> {
  const all: Item[] = [];
  for await (const items of readPages(query)) all.push(...items);
  return all;
}
