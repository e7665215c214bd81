import { GetCommand, paginateScan, ScanCommand, type ScanCommandOutput } from "@aws-sdk/lib-dynamodb";
import type { RelayedEvent } from "../../shared/contract/outbox.ts";
import { timestamp } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { StoredEvent } from "../../shared/platform/outbox/carried-event.ts";
import { writeBatch } from "../../shared/platform/table/batch.ts";
import { attributesFromJson, table } from "../../shared/platform/table/client.ts";
import type { Key } from "../../shared/platform/table/keys.ts";
import { fromStored } from "../../shared/platform/table/packed.ts";
import { type Attributes, copied } from "./dynamo/attributes.ts";
import { engineOfProcess } from "./dynamo/serve.ts";

export type StoredItem = Key & Record<string, unknown>;

/** The walk of a Program's changes is due from then on, unless a test gives it another time. */
export const noWalkUntil = new Date("2900-01-01");

/** Every item of a Program or Tenant in the issuing table, in the order of the keys. */
export async function storedItems(ownerId: string): Promise<StoredItem[]> {
  const items = await scanOf(environment.issuingTable, `${ownerId}#`);
  return items.filter(({ kind, dueAt }) => kind !== "walk_changes" || String(dueAt) < timestamp(noWalkUntil));
}

/** Every item of both tables. */
export async function allStoredItems(): Promise<StoredItem[]> {
  const scans = [environment.accountsTable, environment.issuingTable].map((name) => scan(name));
  return (await Promise.all(scans)).flat();
}

/** The events that the owner's writes left for the relay, oldest first: kind and detail. */
export async function storedEvents(ownerId: string) {
  return eventsIn(await storedItems(ownerId)).map(({ kind, detail }) => ({ kind, detail }));
}

/** Outbox items, and events that other items carry. */
export function eventsIn(items: readonly StoredItem[]): RelayedEvent[] {
  return items
    .filter(({ sk, outbox }) => sk === "OUTBOX" || outbox !== undefined)
    .map((item) => StoredEvent.parse(item))
    .toSorted((left, right) => (left.eventId < right.eventId ? -1 : 1));
}

/** An item of the issuing table. */
export function storedItem(key: Key): Promise<Record<string, unknown> | undefined> {
  return readItem(environment.issuingTable, key);
}

/** An item of the accounts table. */
export function storedAccountsItem(key: Key): Promise<Record<string, unknown> | undefined> {
  return readItem(environment.accountsTable, key);
}

/** Deletes the expired items of the issuing table, as DynamoDB does sooner or later. */
export async function deleteExpired(): Promise<void> {
  const limit = Date.now() / 1_000;
  const expired = (await scan(environment.issuingTable)).filter(
    ({ expiresAtSeconds }) => typeof expiresAtSeconds === "number" && expiresAtSeconds <= limit,
  );
  await writeBatch(expired.map(({ pk, sk }) => ({ remove: { pk, sk } })));
}

async function readItem(TableName: string, key: Key): Promise<Record<string, unknown> | undefined> {
  const { Item } = await table.send(new GetCommand({ TableName, Key: { ...key }, ConsistentRead: true }));
  return Item;
}

/** DynamoDB Local scans in an order of its own. */
const isInOrder = process.env.TEST_DYNAMODB !== "dynamodb-local";

/**
 * What begins so. An engine that scans in the order of the keys is asked for that alone: a whole
 * scan for each test would take longer with each test of its file.
 */
async function scanOf(TableName: string, prefix: string): Promise<StoredItem[]> {
  const own = await engineOfProcess();
  if (own) return Array.from(own.engine.items(TableName, prefix), read).toSorted(byKey);
  if (!isInOrder)
    return scan(TableName, {
      FilterExpression: "begins_with(pk, :prefix)",
      ExpressionAttributeValues: { ":prefix": prefix },
    });
  const items: StoredItem[] = [];
  const page = { TableName, ConsistentRead: true, Limit: 200 };
  let from: Record<string, unknown> | undefined = { pk: prefix, sk: "!" };
  while (from) {
    const found: ScanCommandOutput = await table.send(new ScanCommand({ ...page, ExclusiveStartKey: from }));
    items.push(...((found.Items ?? []) as StoredItem[]).filter(({ pk }) => pk.startsWith(prefix)));
    const { LastEvaluatedKey: last } = found;
    from = String(last?.pk).startsWith(prefix) ? last : undefined;
  }
  return items.toSorted(byKey);
}

async function scan(TableName: string, filter: object = {}): Promise<StoredItem[]> {
  const own = await engineOfProcess();
  if (own) return Array.from(own.engine.items(TableName), read).toSorted(byKey);
  const items: StoredItem[] = [];
  const input = { TableName, ConsistentRead: true, ...filter };
  for await (const { Items } of paginateScan({ client: table }, input)) {
    items.push(...((Items ?? []) as StoredItem[]));
  }
  return items.toSorted(byKey);
}

const known = new WeakMap<Attributes, StoredItem>();

/** Tests read all items before and after each step, which changes few. */
function read(item: Attributes): StoredItem {
  const before = known.get(item);
  if (before) return before;
  const own = fromStored(attributesFromJson(copied(item) as never)) as StoredItem;
  known.set(item, Object.freeze(own));
  return own;
}

const byKey = (left: Key, right: Key) => (`${left.pk} ${left.sk}` < `${right.pk} ${right.sk}` ? -1 : 1);
