import { paginateQuery, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { timestamp } from "../clock.ts";
import { environment } from "../environment.ts";
import { log } from "../log.ts";
import { table } from "../table/client.ts";
import {
  Deadline,
  type DeadlinePriority,
  type DueDeadline,
  deadlinePriorities,
  dueShards,
} from "./deadline.ts";

const pageSize = 50;

/** The due deadlines of a priority in order of time, read page by page as they are taken. */
export async function* dueDeadlines(priority: DeadlinePriority, at: Date): AsyncGenerator<DueDeadline, void> {
  const shards = dueShards(priority).map((shard) => readShard(shard, at));
  const heads = await Promise.all(shards.map(async (rows) => ({ rows, next: await rows.next() })));
  for (;;) {
    let earliest: (typeof heads)[number] | undefined;
    for (const head of heads) {
      if (head.next.done) continue;
      if (!earliest || earliest.next.done || head.next.value.dueAt < earliest.next.value.dueAt)
        earliest = head;
    }
    if (!earliest || earliest.next.done) return;
    yield earliest.next.value;
    earliest.next = await earliest.rows.next();
  }
}

async function* readShard(shard: string, at: Date): AsyncGenerator<DueDeadline, void> {
  const pages = paginateQuery(
    { client: table, pageSize },
    {
      TableName: environment.issuingTable,
      IndexName: "by-due",
      KeyConditionExpression: "dueShard = :shard AND dueAt < :until",
      // "$" follows "#": all rows of the millisecond `at` itself are due as well.
      ExpressionAttributeValues: { ":shard": shard, ":until": `${timestamp(at)}$` },
    },
  );
  for await (const { Items } of pages) {
    for (const item of Items ?? []) {
      const parsed = Deadline.safeParse({ ...toCurrent(item), dueAt: new Date(timeOf(item)) });
      if (parsed.success) yield { ...parsed.data, failures: Number(item.failures ?? 0) };
      else
        log.error("The deadline row is malformed and stays.", { pk: item.pk, issues: parsed.error.issues });
    }
  }
}

type Item = Readonly<Record<string, unknown>>;

function timeOf({ dueAt }: Item): string {
  return String(dueAt).split("#")[0] ?? "";
}

/** The previous version kept these parts only in the ids. */
function toCurrent(item: Item): Item {
  const id = String(item.deadlineId);
  switch (item.kind) {
    case "expire_hold":
      return { authorizationId: id.slice("hold:".length), ...item };
    case "charge_maintenance":
      return { cardId: id.slice("maintenance:".length), ...item };
    case "apply_cardholder_block":
      return { cardholderId: id.split(":")[1], ...item };
    case "retry_callback": {
      const [, attempt, messageId, endpointId, deliveryId] = id.split("|");
      const { ownerId: programId, cause } = item;
      const ids = { programId, messageId, endpointId, deliveryId };
      const delivery = { kind: "notification", ...ids, attempt: Number(attempt), cause };
      return { ...item, kind: "retry_delivery", delivery };
    }
    default:
      return item;
  }
}

/** When the earliest deadline falls due, overdue ones included, as ISO 8601. */
export async function nextDueAt(): Promise<string | null> {
  const heads = await Promise.all(deadlinePriorities.flatMap(dueShards).map(readHead));
  const [earliest] = heads.filter((dueAt) => dueAt !== undefined).sort();
  return earliest ?? null;
}

async function readHead(shard: string): Promise<string | undefined> {
  const { Items } = await table.send(
    new QueryCommand({
      TableName: environment.issuingTable,
      IndexName: "by-due",
      KeyConditionExpression: "dueShard = :shard",
      ExpressionAttributeValues: { ":shard": shard },
      ProjectionExpression: "dueAt",
      Limit: 1,
    }),
  );
  return Items?.[0] && timeOf(Items[0]);
}
