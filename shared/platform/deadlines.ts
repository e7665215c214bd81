import * as z from "zod";
import { Cause } from "../contract/outbox.ts";
import { now, timestamp } from "./clock.ts";
import { environment } from "./environment.ts";
import { log } from "./log.ts";
import { defineEntity } from "./table/entity.ts";
import { afterAll, chooseShard, type Key } from "./table/keys.ts";
import { readItems } from "./table/query.ts";
import type { WriteAction } from "./table/transact.ts";

/** In the order of a sweep. Each has its own partitions, so that many of one never hide another. */
export const deadlinePriorities = ["urgent", "normal", "bulk"] as const;
export type DeadlinePriority = (typeof deadlinePriorities)[number];

const Common = z.object({
  /** The Program or Tenant of the record. */
  ownerId: z.string(),
  /** The record's id, unless the kind names it, so that the deadline can be cancelled. */
  deadlineId: z.string(),
  dueAt: z.date(),
  /** The request or event that led to it. */
  cause: Cause.optional(),
});
type Common = Readonly<z.output<typeof Common>>;

/** Something to do later. The sweep finds it when it is due. */
export interface Deadline extends Common {
  readonly kind: string;
  readonly priority: DeadlinePriority;
}

/**
 * A kind of deadline, declared by the capability that owes it; `functions/deadlines` has what is
 * done. Urgent: releases money, or stops its use. Bulk: thousands at a time, and can wait.
 */
export function defineDeadline<Own extends object = object>(
  kind: string,
  priority: DeadlinePriority,
  own?: z.ZodType<Own>,
) {
  return {
    at: (given: Common & Own): Deadline => ({ ...given, kind, priority }),
    /** What it has beside a deadline's common attributes. */
    parse: (due: DueDeadline) => (own ?? z.never()).parse(due),
  };
}

/** Partitions of the `by-due` index for each priority, by how often its deadlines are written. */
export const dueShardCounts: Readonly<Record<DeadlinePriority, number>> = { urgent: 16, normal: 8, bulk: 4 };
const dueShardName = (priority: DeadlinePriority, shard: number) => `DUE#${priority}#${shard}`;

function dueShards(priority: DeadlinePriority): string[] {
  return Array.from({ length: dueShardCounts[priority] }, (_, shard) => dueShardName(priority, shard));
}

/** As it is stored: a kind may have more attributes. */
const StoredDeadline = z.looseObject({
  ownerId: z.string(),
  deadlineId: z.string(),
  kind: z.string(),
  /** Time, then id: deadlines of the same millisecond are distinct in the index. */
  dueAt: z.string(),
  dueShard: z.string(),
  /** How often it failed since it was last executed. */
  failures: z.int().optional(),
});

export const deadlines = defineEntity({
  name: "deadline",
  schema: StoredDeadline,
  key: (ownerId: string, deadlineId: string) => ({ pk: `${ownerId}#DEADLINE#${deadlineId}`, sk: "DEADLINE" }),
});

/** An item has these attributes while it is its own deadline. */
export const CarriedDeadline = z.object(StoredDeadline.shape).partial();
type CarriedDeadline = z.output<typeof CarriedDeadline>;

const carriers = defineEntity({
  name: "deadline",
  schema: CarriedDeadline,
  key: ({ pk, sk }: Key) => ({ pk, sk }),
});

/** Takes the deadline from an item that is written as a whole. */
export const noDeadline = {
  ownerId: undefined,
  deadlineId: undefined,
  kind: undefined,
  dueAt: undefined,
  dueShard: undefined,
  failures: undefined,
} as const satisfies Record<keyof CarriedDeadline, undefined>;

export function deadlinePut(deadline: Deadline): WriteAction {
  return deadlines.at(deadline.ownerId, deadline.deadlineId).create(toStoredDeadline(deadline));
}

/** Overwrites an earlier one with the same id. */
export function deadlineReplace(deadline: Deadline): WriteAction {
  return deadlines.at(deadline.ownerId, deadline.deadlineId).put(toStoredDeadline(deadline));
}

export function deadlineDelete(ownerId: string, deadlineId: string): WriteAction {
  return deadlines.at(ownerId, deadlineId).delete();
}

/**
 * Fails if another sweep was faster. Moves the deadline to `to`, with what changes of its own
 * attributes, or deletes it without `to`.
 */
export function deadlineClaim(deadline: Located, to: Date | undefined, own: object = {}): WriteAction {
  const asRead = { dueAt: toIndexedTime(deadline) };
  if (to) {
    const dueAt = toIndexedTime({ ...deadline, dueAt: to });
    return locate(deadline).update({ set: { ...own, dueAt }, remove: ["failures"] }, asRead);
  }
  const remove = Object.keys(noDeadline) as (keyof CarriedDeadline)[];
  return deadline.carrier
    ? carriers.at(deadline.carrier).update({ remove }, asRead)
    : deadlines.at(deadline.ownerId, deadline.deadlineId).delete(asRead);
}

interface Located extends Pick<Common, "ownerId" | "deadlineId" | "dueAt"> {
  /** The item that carries the deadline, if it has no item of its own. */
  readonly carrier?: Key;
}

const Due = Common.extend({ kind: z.string(), failures: z.int().optional() }).loose();
export type DueDeadline = Readonly<z.output<typeof Due>> & Located;

const [firstDelayMs, maximumDelayMs] = [60_000, 3_600_000];

/** Retries in a minute, then in two, four, …, at most every hour. */
export async function postpone(deadline: DueDeadline): Promise<void> {
  const delayMs = Math.min(maximumDelayMs, firstDelayMs * 2 ** (deadline.failures ?? 0));
  const dueAt = toIndexedTime({ ...deadline, dueAt: new Date(now().getTime() + delayMs) });
  const failures = (deadline.failures ?? 0) + 1;
  await locate(deadline).updateNow({ set: { dueAt, failures } }, { dueAt: toIndexedTime(deadline) });
}

function locate({ ownerId, deadlineId, carrier }: Located) {
  return carrier ? carriers.at(carrier) : deadlines.at(ownerId, deadlineId);
}

/** The attributes of a deadline. An item that has them is found when they are due. */
export function toStoredDeadline({ priority, ...deadline }: Deadline): z.output<typeof StoredDeadline> {
  const dueShard = dueShardName(priority, chooseShard(deadline.deadlineId, dueShardCounts[priority]));
  return { ...deadline, dueShard, dueAt: toIndexedTime(deadline) };
}

function toIndexedTime({ dueAt, deadlineId }: Pick<Deadline, "dueAt" | "deadlineId">): string {
  return `${timestamp(dueAt)}#${deadlineId}`;
}

/**
 * The due deadlines of a priority in order of time, read page by page as they are taken. `from` is
 * the place of the one before.
 */
export async function* dueDeadlines(
  priority: DeadlinePriority,
  at: Date,
  from?: string,
): AsyncGenerator<DueDeadline, void> {
  const shards = dueShards(priority).map((shard) => readShard(shard, at, from));
  const heads = await Promise.all(shards.map(async (rows) => ({ rows, next: await rows.next() })));
  for (;;) {
    let earliest: (typeof heads)[number] | undefined;
    for (const head of heads) {
      if (head.next.done) continue;
      if (!earliest || earliest.next.done || isBefore(head.next.value, earliest.next.value)) earliest = head;
    }
    if (!earliest || earliest.next.done) return;
    yield earliest.next.value;
    earliest.next = await earliest.rows.next();
  }
}

/** As the index sorts them. */
function isBefore(one: DueDeadline, other: DueDeadline): boolean {
  const ms = one.dueAt.getTime() - other.dueAt.getTime();
  return ms < 0 || (ms === 0 && one.deadlineId < other.deadlineId);
}

const pageSize = 50;

async function* readShard(shard: string, at: Date, from?: string): AsyncGenerator<DueDeadline, void> {
  // "$" follows "#": all rows of the millisecond `at` itself are due as well.
  for await (const item of readItems(toShardQuery(shard, `${timestamp(at)}$`, pageSize, from))) {
    const parsed = Due.safeParse({ ...item, dueAt: new Date(toTime(item)) });
    const { pk, sk } = item as unknown as Key;
    const carrier = sk === "DEADLINE" ? {} : { carrier: { pk, sk } };
    if (parsed.success) yield { ...parsed.data, ...carrier };
    else log.error("The deadline row is malformed and stays.", { pk: item.pk, issues: parsed.error.issues });
  }
}

function toShardQuery(shard: string, until: string, Limit: number, from?: string) {
  return {
    TableName: environment.issuingTable,
    IndexName: "by-due",
    KeyConditionExpression: `dueShard = :shard AND dueAt ${from ? "BETWEEN :from AND" : "<"} :until`,
    // "!" precedes every character of an id.
    ExpressionAttributeValues: { ":shard": shard, ":until": until, ...(from && { ":from": `${from}!` }) },
    Limit,
  };
}

/** Where a deadline is in the order of time. */
export function toPlace(deadline: Pick<Deadline, "dueAt" | "deadlineId">): string {
  return toIndexedTime(deadline);
}

type Item = Readonly<Record<string, unknown>>;
const toTime = ({ dueAt }: Item) => String(dueAt).split("#")[0] ?? "";

/** When the earliest deadline is due, overdue ones included. */
export async function nextDueAt(): Promise<string | null> {
  const heads = await Promise.all(deadlinePriorities.flatMap(dueShards).map(readHead));
  const [earliest] = heads.filter((dueAt) => dueAt !== undefined).sort();
  return earliest ?? null;
}

async function readHead(shard: string): Promise<string | undefined> {
  for await (const item of readItems(toShardQuery(shard, afterAll, 1))) return toTime(item);
  return undefined;
}
