import { paginateQuery, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import { environment } from "../environment.ts";
import { table } from "./client.ts";
import type { Key } from "./keys.ts";

/** The items of a partition whose sort keys begin with `sk`, by consistent reads. */
export function toPartitionQuery({ pk, sk }: Key, TableName = environment.issuingTable) {
  // DynamoDB rejects an empty value for a key.
  const isWhole = sk === "";
  return {
    TableName,
    ConsistentRead: true,
    KeyConditionExpression: isWhole ? "pk = :pk" : "pk = :pk AND begins_with(sk, :prefix)",
    ExpressionAttributeValues: { ":pk": pk, ...(!isWhole && { ":prefix": sk }) },
  };
}

/** Reads page by page, as the items are taken. */
export async function* readItems(query: QueryCommandInput): AsyncGenerator<Record<string, unknown>, void> {
  for await (const { Items = [] } of paginateQuery({ client: table }, query)) yield* Items;
}
