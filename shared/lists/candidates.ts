import { paginateQuery, QueryCommand, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import { cardIdsOf } from "../domain/cards/cards-of-cardholder.ts";
import { environment } from "../platform/environment.ts";
import { table } from "../platform/table/client.ts";
import { issuingKey } from "../platform/table/keys.ts";
import { readBatch } from "../platform/table/read-batch.ts";
import { kinds, type ListOf } from "./listed-kind.ts";
import type {
  CardRecords,
  KeyedRecords,
  Listing,
  PageQuery,
  PartitionRecords,
  StoredRecord,
} from "./listing.ts";

/** Records that few others stand with: all are read, and consistently. */
export type FewRecords =
  | PartitionRecords
  | KeyedRecords
  | (CardRecords & ({ readonly cardId: string } | { readonly cardholderId: string }))
  | { readonly programId: string; readonly collection: "cards"; readonly cardholderId: string };

/** Those of the records that match the filters and the span of creation. */
export async function matchingRecords(
  records: FewRecords,
  listing: Listing,
  query: PageQuery,
): Promise<StoredRecord[]> {
  const matches = recordMatcher(listing, query);
  if ("keys" in records) return (await readBatch(records.keys)).filter(matches);
  if ("collection" in records) {
    const cardIds = await cardIdsOf(records.programId, records.cardholderId);
    const cards = await readBatch(cardIds.map((cardId) => issuingKey.card(records.programId, cardId)));
    return cards.filter(matches);
  }
  const queries = "recorded" in records ? await cardQueries(records) : [queryOf(records)];
  return (await Promise.all(queries.map((input) => matchesOf(input, matches)))).flat();
}

/** So many of an owner's records are read before it is known whether there are more. */
const few = 256;

/** All the records of an owner's list, where they stand in one partition and are few. */
export async function fewOwned(list: ListOf): Promise<StoredRecord[] | undefined> {
  const key = kinds[list.kind].partitionOf?.(list);
  if (!key) return undefined;
  const query = { ...queryOf({ partition: key.pk, prefix: key.sk }), Limit: few };
  const { Items = [], LastEvaluatedKey } = await table.send(new QueryCommand(query));
  return LastEvaluatedKey ? undefined : Items.flatMap((item) => listedRecord(list, item));
}

function listedRecord(list: ListOf, item: StoredRecord): StoredRecord[] {
  const { recordOf } = kinds[list.kind];
  const record = recordOf ? recordOf(list, item) : item;
  return record ? [record] : [];
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

/** What stands on known cards is read with them. */
async function cardQueries(records: CardRecords): Promise<QueryCommandInput[]> {
  const { programId, recorded, cardId, cardholderId, entityId } = records;
  const cardIds = cardId !== undefined ? [cardId] : await cardIdsOf(programId, cardholderId ?? "");
  const keyOf = recorded === "fees" ? issuingKey.fee : issuingKey.transaction;
  return cardIds.map((id) => {
    const { pk, sk } = keyOf(programId, id, entityId ?? "");
    return queryOf({ partition: pk, prefix: sk });
  });
}

function queryOf({ partition, prefix, table: name }: PartitionRecords): QueryCommandInput {
  return {
    TableName: name === "accounts" ? environment.accountsTable : environment.issuingTable,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :partition AND begins_with(sk, :prefix)",
    ExpressionAttributeValues: { ":partition": partition, ":prefix": prefix },
  };
}

export function recordMatcher(listing: Listing, query: PageQuery): (record: StoredRecord) => boolean {
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
      (!onCards || record.entityId !== undefined) &&
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
