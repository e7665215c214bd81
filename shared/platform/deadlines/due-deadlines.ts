import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { Cause } from "../../contract/outbox.ts";
import { timestamp } from "../clock.ts";
import { environment } from "../environment.ts";
import { log } from "../log.ts";
import { table } from "../table/client.ts";
import type { Deadline } from "./deadline.ts";
import { type DeadlinePriority, deadlineKinds, dueShards } from "./priority.ts";

const pageSize = 50;

const DeadlineRow = z.object({
  ownerId: z.string(),
  deadlineId: z.string(),
  kind: z.enum(deadlineKinds),
  /** Time and id, the index's order. */
  dueAt: z.string(),
  /** Times that it was tried in vain since it was last carried out. */
  failures: z.int().default(0),
  cause: Cause.optional(),
});
type DeadlineRow = z.output<typeof DeadlineRow>;

export interface DueDeadline extends Deadline {
  readonly failures: number;
}

/** Every deadline of a priority that is due at `at`, in order of due time over its shards, read page by page as they are taken. */
export async function* dueDeadlines(priority: DeadlinePriority, at: Date): AsyncGenerator<DueDeadline, void> {
  const shards = dueShards(priority).map((shard) => dueRows(shard, at));
  const heads = await Promise.all(shards.map(async (rows) => ({ rows, next: await rows.next() })));
  for (;;) {
    let earliest: (typeof heads)[number] | undefined;
    for (const head of heads) {
      if (head.next.done) continue;
      if (!earliest || earliest.next.done || head.next.value.dueAt < earliest.next.value.dueAt)
        earliest = head;
    }
    if (!earliest || earliest.next.done) return;
    const { dueAt, ...deadline } = earliest.next.value;
    yield { ...deadline, dueAt: new Date(dueAt.slice(0, dueAt.indexOf("#"))) };
    earliest.next = await earliest.rows.next();
  }
}

async function* dueRows(shard: string, at: Date): AsyncGenerator<DeadlineRow, void> {
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
      const parsed = DeadlineRow.safeParse(item);
      if (parsed.success) yield parsed.data;
      else
        log.error("The deadline row is malformed and stays.", { pk: item.pk, issues: parsed.error.issues });
    }
  }
}
