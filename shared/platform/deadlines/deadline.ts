import * as z from "zod";
import { Cause } from "../../contract/outbox.ts";
import { now, timestamp } from "../clock.ts";
import { environment } from "../environment.ts";
import { issuingKey, shardOf } from "../table/keys.ts";
import type { WriteAction } from "../table/transact.ts";
import { updateItem } from "../table/write-item.ts";

const common = {
  /** The Program or Tenant of the record. */
  ownerId: z.string(),
  /** The record's id, unless the kind names it, so that the record's owner can cancel the deadline. */
  deadlineId: z.string(),
  dueAt: z.date(),
  /** The request or event that led to it. */
  cause: Cause.optional(),
};

/** Something to do later. The sweep finds it once it is due. */
export const Deadline = z.discriminatedUnion("kind", [
  z.object({ ...common, kind: z.literal("apply_cardholder_block"), cardholderId: z.string() }),
  z.object({ ...common, kind: z.literal("apply_limits") }),
  z.object({ ...common, kind: z.literal("charge_maintenance"), cardId: z.string() }),
  z.object({ ...common, kind: z.literal("clear_deposit") }),
  z.object({ ...common, kind: z.literal("close_ticket") }),
  z.object({ ...common, kind: z.literal("decide_endpoint") }),
  z.object({ ...common, kind: z.literal("expire_hold"), authorizationId: z.string() }),
  z.object({ ...common, kind: z.literal("forget_code") }),
  z.object({ ...common, kind: z.literal("remind_certificate") }),
  /** `delivery`: the message of shared/delivery. */
  z.object({ ...common, kind: z.literal("retry_delivery"), delivery: z.record(z.string(), z.unknown()) }),
  /** Written only by the previous version. */
  z.object({ ...common, kind: z.literal("retry_alert") }),
]);
export type Deadline = Readonly<z.output<typeof Deadline>>;
export type DeadlineKind = Deadline["kind"];
export type DeadlineOf<Kind extends DeadlineKind> = Extract<Deadline, { kind: Kind }>;

/** In a sweep's order. Each has its own partitions, so that many of one never hide another. */
export const deadlinePriorities = ["urgent", "normal", "bulk"] as const;
export type DeadlinePriority = (typeof deadlinePriorities)[number];

/** Urgent: money becomes available, or cards are stopped. Bulk: due by the thousand, and can wait. */
const priorities: Readonly<Record<DeadlineKind, DeadlinePriority>> = {
  apply_cardholder_block: "urgent",
  clear_deposit: "urgent",
  expire_hold: "urgent",
  apply_limits: "normal",
  close_ticket: "normal",
  decide_endpoint: "normal",
  forget_code: "normal",
  remind_certificate: "normal",
  retry_alert: "normal",
  retry_delivery: "normal",
  charge_maintenance: "bulk",
};

/** Partitions of the `by-due` index for each priority, by how often its deadlines are written. */
export const dueShardCounts: Readonly<Record<DeadlinePriority, number>> = { urgent: 16, normal: 8, bulk: 4 };

function dueShard(priority: DeadlinePriority, shard: number): string {
  return `DUE#${priority}#${shard}`;
}

export function dueShards(priority: DeadlinePriority): string[] {
  return Array.from({ length: dueShardCounts[priority] }, (_, shard) => dueShard(priority, shard));
}

/** In the transaction that creates the need for it. */
export function deadlinePut(deadline: Deadline): WriteAction {
  const Put = { ...put(deadline), ConditionExpression: "attribute_not_exists(pk)" };
  return { name: "deadline", Put };
}

/** Overwrites an earlier one with the same id. */
export function deadlineReplace(deadline: Deadline): WriteAction {
  return { name: "deadline", Put: put(deadline) };
}

function put({ cause, ...deadline }: Deadline) {
  const { ownerId, deadlineId, kind, dueAt } = deadline;
  const priority = priorities[kind];
  return {
    TableName: environment.issuingTable,
    Item: {
      ...issuingKey.deadline(ownerId, deadlineId),
      ...deadline,
      dueShard: dueShard(priority, shardOf(deadlineId, dueShardCounts[priority])),
      dueAt: indexedTime(dueAt, deadlineId),
      ...(cause && { cause }),
    },
  };
}

/** In the transaction that makes the deadline superfluous. */
export function deadlineDelete(ownerId: string, deadlineId: string): WriteAction {
  return {
    name: "deadline",
    Delete: { TableName: environment.issuingTable, Key: issuingKey.deadline(ownerId, deadlineId) },
  };
}

/** The claim: fails if another sweep has moved it meanwhile. */
export function deadlineMove(deadline: Deadline, to: Date | undefined): WriteAction {
  const { found, ...item } = foundItem(deadline);
  if (!to) return { name: "deadline", Delete: { ...item, ExpressionAttributeValues: found } };
  return {
    name: "deadline",
    Update: {
      ...item,
      UpdateExpression: "SET dueAt = :to REMOVE failures",
      ExpressionAttributeValues: { ...found, ":to": indexedTime(to, deadline.deadlineId) },
    },
  };
}

export type DueDeadline = Deadline & {
  /** How often it failed since it was last executed. */
  readonly failures: number;
};

const firstDelayMs = 60_000;
const maximumDelayMs = 3_600_000;

/** Retries in a minute, then in two, four, …, at most every hour. */
export async function postpone(deadline: DueDeadline): Promise<void> {
  const { deadlineId, failures } = deadline;
  const { found, ...item } = foundItem(deadline);
  const delayMs = Math.min(maximumDelayMs, firstDelayMs * 2 ** failures);
  await updateItem("deadline", {
    ...item,
    UpdateExpression: "SET dueAt = :later, failures = :failures",
    ExpressionAttributeValues: {
      ...found,
      ":later": indexedTime(new Date(now().getTime() + delayMs), deadlineId),
      ":failures": failures + 1,
    },
  });
}

/** Requires the due time that was read. */
function foundItem({ ownerId, deadlineId, dueAt }: Deadline) {
  return {
    TableName: environment.issuingTable,
    Key: issuingKey.deadline(ownerId, deadlineId),
    ConditionExpression: "dueAt = :found",
    found: { ":found": indexedTime(dueAt, deadlineId) },
  };
}

/** The index's order: time, then the id, so that deadlines of the same millisecond are distinct. */
function indexedTime(dueAt: Date, deadlineId: string): string {
  return `${timestamp(dueAt)}#${deadlineId}`;
}
