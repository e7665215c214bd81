import { paginateQuery, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import { cardIdsOf } from "../card/cards-of-cardholder.ts";
import { environment } from "../environment.ts";
import { table } from "../table/client.ts";
import {
  collectionKey,
  collectionShardCount,
  collectionShardKey,
  issuingKey,
  shardedCollectionKey,
} from "../table/keys.ts";
import type { CardRecords, Listing, PageQuery, StoredRecord } from "./listing.ts";

/** The queries that find a listing's records, and whether these find them whole or as the index projects them. */
interface Source {
  readonly queries: readonly QueryCommandInput[];
  readonly projected: boolean;
}

/** What matches, and whether the records are whole or only what the index projects. */
export interface Matches {
  readonly records: StoredRecord[];
  readonly projected: boolean;
}

/** All records that match the filters and the span of creation, with at least their keys and what the list orders by. */
export async function matchingRecords(listing: Listing, query: PageQuery): Promise<Matches> {
  const { queries, projected } = await sourceOf(listing.records);
  const matches = recordMatcher(listing, query);
  const found = await Promise.all(queries.map((input) => matchesOf(input, matches)));
  return { records: found.flat(), projected };
}

async function matchesOf(
  input: QueryCommandInput,
  matches: (record: StoredRecord) => boolean,
): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  for await (const { Items } of paginateQuery({ client: table }, input)) {
    for (const item of Items ?? []) if (matches(item)) records.push(item);
  }
  return records;
}

async function sourceOf(records: Listing["records"]): Promise<Source> {
  if ("collection" in records) {
    return {
      queries: [indexQuery(collectionKey(records.programId, records.collection))],
      projected: true,
    };
  }
  if ("recorded" in records) return cardSource(records);
  const { partition, prefix } = records;
  const tableName = records.table === "accounts" ? environment.accountsTable : environment.issuingTable;
  return { queries: [{ ...partitionQuery(partition, prefix), TableName: tableName }], projected: false };
}

/** What stands on known cards is read with them, and consistently; the whole Program's through the shards of the index. */
async function cardSource(records: CardRecords): Promise<Source> {
  const { programId, recorded, cardId, cardholderId, entityId } = records;
  const cardIds =
    cardId !== undefined
      ? [cardId]
      : cardholderId !== undefined
        ? await cardIdsOf(programId, cardholderId)
        : undefined;
  if (cardIds) {
    const keyOf = recorded === "fees" ? issuingKey.fee : issuingKey.transaction;
    const keys = cardIds.map((id) => keyOf(programId, id, entityId ?? ""));
    return { queries: keys.map(({ pk, sk }) => partitionQuery(pk, sk)), projected: false };
  }
  if (entityId !== undefined) {
    const shard = shardedCollectionKey(programId, recorded, entityId);
    return { queries: [indexQuery(shard, entityId)], projected: true };
  }
  const shards = Array.from({ length: collectionShardCount }, (_, shard) =>
    collectionShardKey(programId, recorded, shard),
  );
  return { queries: shards.map((shard) => indexQuery(shard)), projected: true };
}

function indexQuery(collection: string, entityId?: string): QueryCommandInput {
  return {
    TableName: environment.issuingTable,
    IndexName: "by-collection",
    KeyConditionExpression: `#collection = :collection${entityId === undefined ? "" : " AND entityId = :id"}`,
    ExpressionAttributeNames: { "#collection": "collection" },
    ExpressionAttributeValues: {
      ":collection": collection,
      ...(entityId !== undefined && { ":id": entityId }),
    },
  };
}

function partitionQuery(partition: string, prefix: string): QueryCommandInput {
  return {
    TableName: environment.issuingTable,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :partition AND begins_with(sk, :prefix)",
    ExpressionAttributeValues: { ":partition": partition, ":prefix": prefix },
  };
}

function recordMatcher(listing: Listing, query: PageQuery): (record: StoredRecord) => boolean {
  const { records, filters, except = {} } = listing;
  const onCards = "recorded" in records;
  const wanted = Object.entries({
    ...filters,
    ...(onCards && { cardholderId: records.cardholderId, entityId: records.entityId }),
  }).filter(([, value]) => value !== undefined);
  const unwanted = Object.entries(except);
  const before = isoTime(query.before);
  const after = isoTime(query.after);
  return (record) => {
    const createdAt = record.createdAt as string;
    return (
      (!onCards || record.collection !== undefined) &&
      (before === undefined || createdAt < before) &&
      (after === undefined || createdAt > after) &&
      wanted.every(([attribute, value]) => record[attribute] === value) &&
      unwanted.every(([attribute, value]) => record[attribute] !== value)
    );
  };
}

/** Times are stored as ISO 8601 of one length, so that they compare as strings. */
function isoTime(unixSeconds: number | undefined): string | undefined {
  return unixSeconds === undefined ? undefined : new Date(unixSeconds * 1000).toISOString();
}
