import * as z from "zod";
import { Cause } from "../../contract/outbox.ts";
import { now, timestamp } from "../clock.ts";
import { environment } from "../environment.ts";
import { issuingKey, shardOf } from "../table/keys.ts";
import type { WriteAction } from "../table/transact.ts";
import { updateItem } from "../table/write-item.ts";

const common = {
  /** The Program whose record it is about, or the Tenant. */
  ownerId: z.string(),
  /** The id of the record, unless the kind names that: whoever holds the record can call the deadline off. */
  deadlineId: z.string(),
  dueAt: z.date(),
  /** What it goes back to, if it carries on what was begun. */
  cause: Cause.optional(),
};

/** Something to do later: an item that the sweep finds once it is due. */
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
  /** Written by the version before alone. */
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

/** All partitions of a priority. */
export function dueShards(priority: DeadlinePriority): string[] {
  return Array.from({ length: dueShardCounts[priority] }, (_, shard) => dueShard(priority, shard));
}

/** Writes a deadline, in the transaction that creates the need for it. */
export function deadlinePut(deadline: Deadline): WriteAction {
  const Put = { ...put(deadline), ConditionExpression: "attribute_not_exists(pk)" };
  return { name: "deadline", Put };
}

/** Writes a deadline, over an earlier one with the same id if there is one. */
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

/** Deletes a deadline that is executed or called off, in the transaction that makes it superfluous. */
export function deadlineDelete(ownerId: string, deadlineId: string): WriteAction {
  return {
    name: "deadline",
    Delete: { TableName: environment.issuingTable, Key: issuingKey.deadline(ownerId, deadlineId) },
  };
}

/** Moves or deletes a deadline. Fails if another sweep has moved it meanwhile: the claim. */
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

/** Makes a failed deadline due again in a minute, then in two, four, …, at last every hour. */
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

/** The item, on the condition that it is still due when it was found to be. */
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
