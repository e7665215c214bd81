import { paginateQuery, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import { type EventType, eventTypes } from "../contract/notifications.ts";
import { environment } from "../environment.ts";
import { earliestId } from "../id.ts";
import { table } from "../table/client.ts";
import { readBatch } from "../table/read-batch.ts";
import { notificationShardCount, notificationShardKey, webhookKey } from "../table/webhook-keys.ts";
import type { Notification } from "./notification.ts";

/** Which of a Program's notifications: made at `since` or later, and before `until`. */
export interface NotificationSpan {
  readonly eventType?: EventType | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  /** Only those made after this one. */
  readonly afterId?: string | undefined;
}

/** A notification without what it says. */
export interface NotificationReference {
  readonly transIdSc: string;
  readonly eventType: EventType;
}

interface PageQuery {
  readonly eventType?: EventType | undefined;
  readonly sort: "asc" | "desc";
  readonly before?: number | undefined;
  readonly after?: number | undefined;
  readonly limit: number;
  readonly offset: number;
}

/**
 * One page of a Program's notifications in the order of their making, with the exact count of all that match. Ids are in that order, so that
 * each shard of the index is read only as far as the page goes. The index follows a write within moments.
 */
export async function notificationPage(
  programId: string,
  query: PageQuery,
): Promise<{ readonly items: readonly Notification[]; readonly total: number }> {
  const { eventType, sort, before, after, limit, offset } = query;
  const span: NotificationSpan = {
    eventType,
    // Times are in whole seconds, and exclude their own boundary.
    ...(after !== undefined && { since: new Date(after * 1000 + 1) }),
    ...(before !== undefined && { until: new Date(before * 1000) }),
  };
  const [total, references] = await Promise.all([
    countNotifications(programId, span),
    notificationReferences(programId, span, sort, offset + limit),
  ]);
  const page = references.slice(offset, offset + limit);
  const items = await readBatch(page.map(({ transIdSc }) => webhookKey.notification(programId, transIdSc)));
  const byId = new Map(items.map((item) => [item.transIdSc, item as unknown as Notification]));
  return { items: page.flatMap(({ transIdSc }) => byId.get(transIdSc) ?? []), total };
}

/** How many notifications a span has. */
export async function countNotifications(programId: string, span: NotificationSpan): Promise<number> {
  const counts = shardQueries(programId, span).map(async ({ query }) => {
    let count = 0;
    for await (const page of paginateQuery({ client: table }, { ...query, Select: "COUNT" })) {
      count += page.Count ?? 0;
    }
    return count;
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** The first notifications of a span, in the order asked for. */
export async function notificationReferences(
  programId: string,
  span: NotificationSpan,
  sort: "asc" | "desc",
  most: number,
): Promise<NotificationReference[]> {
  const shards = shardQueries(programId, span).map(async ({ eventType, query }) => {
    const found: NotificationReference[] = [];
    const pages = paginateQuery(
      { client: table, pageSize: Math.min(most, 1_000) },
      { ...query, ScanIndexForward: sort === "asc" },
    );
    for await (const { Items = [] } of pages) {
      found.push(...Items.map(({ transIdSc }) => ({ transIdSc: transIdSc as string, eventType })));
      if (found.length >= most) break;
    }
    return found.slice(0, most);
  });
  const direction = sort === "asc" ? 1 : -1;
  const found = (await Promise.all(shards)).flat();
  return found
    .toSorted((left, right) => (left.transIdSc < right.transIdSc ? -direction : direction))
    .slice(0, most);
}

function shardQueries(
  programId: string,
  { eventType, since, until, afterId }: NotificationSpan,
): { eventType: EventType; query: QueryCommandInput }[] {
  const types: readonly EventType[] = eventType === undefined ? eventTypes : [eventType];
  // "!" stands before all that ids are made of.
  const from = afterId ? `${afterId}!` : earliestId("notification", since ?? new Date(0));
  const to = until ? earliestId("notification", until) : "ntf_~";
  return types.flatMap((type) =>
    Array.from({ length: notificationShardCount }, (_, shard) => ({
      eventType: type,
      query: {
        TableName: environment.issuingTable,
        IndexName: "by-notification",
        KeyConditionExpression: "notificationShard = :shard AND transIdSc BETWEEN :from AND :to",
        ExpressionAttributeValues: {
          ":shard": notificationShardKey(programId, type, shard),
          ":from": from,
          ":to": to,
        },
      },
    })),
  );
}
