import { paginateQuery, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import { environment } from "../environment.ts";
import { table } from "../table/client.ts";
import { collectionKey } from "../table/keys.ts";
import type { Listing, PageQuery, StoredRecord } from "./listing.ts";

/** All records that match the filters and the span of creation, with at least their keys and what the list orders by. */
export async function matchingRecords(listing: Listing, query: PageQuery): Promise<StoredRecord[]> {
  const matches: StoredRecord[] = [];
  const matcher = recordMatcher(listing.filters, query);
  for await (const { Items } of paginateQuery({ client: table }, queryOf(listing.records))) {
    for (const item of Items ?? []) {
      if (matcher(item)) matches.push(item);
    }
  }
  return matches;
}

function queryOf(records: Listing["records"]): QueryCommandInput {
  if ("collection" in records) {
    return {
      TableName: environment.issuingTable,
      IndexName: "by-collection",
      KeyConditionExpression: "#collection = :collection",
      ExpressionAttributeNames: { "#collection": "collection" },
      ExpressionAttributeValues: { ":collection": collectionKey(records.programId, records.collection) },
    };
  }
  return {
    TableName: environment.issuingTable,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :partition AND begins_with(sk, :prefix)",
    ExpressionAttributeValues: { ":partition": records.partition, ":prefix": records.prefix },
  };
}

function recordMatcher(filters: Listing["filters"], query: PageQuery): (record: StoredRecord) => boolean {
  const wanted = Object.entries(filters).filter(([, value]) => value !== undefined);
  const before = isoTime(query.before);
  const after = isoTime(query.after);
  return (record) => {
    const createdAt = record.createdAt as string;
    return (
      (before === undefined || createdAt < before) &&
      (after === undefined || createdAt > after) &&
      wanted.every(([attribute, value]) => record[attribute] === value)
    );
  };
}

/** Times are stored as ISO 8601 of one length, so that they compare as strings. */
function isoTime(unixSeconds: number | undefined): string | undefined {
  return unixSeconds === undefined ? undefined : new Date(unixSeconds * 1000).toISOString();
}
