import { paginateQuery, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import { environment } from "../environment.ts";
import { table } from "./client.ts";

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
  for await (const { Items = [] } of paginateQuery({ client: table }, query)) yield Items;
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
