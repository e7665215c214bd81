import type { Cause } from "../../contract/outbox.ts";
import { timestamp } from "../clock.ts";
import { environment } from "../environment.ts";
import { issuingKey, shardOf } from "../table/keys.ts";
import type { WriteAction } from "../table/transact.ts";
import { type DeadlineKind, dueShard, dueShardCounts, priorityOf } from "./priority.ts";

/** Something to do later: a row that the sweep finds once it is due. One kind of work, one record that it is done to. */
export interface Deadline {
  /** The Program whose record it is done to, or the Tenant. */
  readonly ownerId: string;
  /** The id of the record that the work is done to, so that whoever holds the record can call the deadline off. */
  readonly deadlineId: string;
  readonly kind: DeadlineKind;
  readonly dueAt: Date;
  /** What it goes back to, where it carries on what was begun. */
  readonly cause?: Cause | undefined;
}

/** Writes the deadline, in the transaction that creates the need for it. */
export function deadlinePut(deadline: Deadline): WriteAction {
  const Put = { ...put(deadline), ConditionExpression: "attribute_not_exists(pk)" };
  return { name: "deadline", Put };
}

/** Writes the deadline, over an earlier one with the same id if there is one. */
export function deadlineReplace(deadline: Deadline): WriteAction {
  return { name: "deadline", Put: put(deadline) };
}

function put({ ownerId, deadlineId, kind, dueAt, cause }: Deadline) {
  const priority = priorityOf(kind);
  return {
    TableName: environment.issuingTable,
    Item: {
      ...issuingKey.deadline(ownerId, deadlineId),
      ownerId,
      deadlineId,
      kind,
      dueShard: dueShard(priority, shardOf(deadlineId, dueShardCounts[priority])),
      dueAt: indexedTime(dueAt, deadlineId),
      ...(cause && { cause }),
    },
  };
}

/** Takes the deadline away: it is executed, or called off. Part of the transaction that makes it superfluous. */
export function deadlineDelete(ownerId: string, deadlineId: string): WriteAction {
  return {
    name: "deadline",
    Delete: { TableName: environment.issuingTable, Key: issuingKey.deadline(ownerId, deadlineId) },
  };
}

/**
 * Moves the deadline to another time, or takes it away where there is none, on the condition that it is still due when it was found to be: of
 * those who found it one alone carries it out.
 */
export function deadlineMove({ ownerId, deadlineId, dueAt }: Deadline, to: Date | undefined): WriteAction {
  const write = {
    TableName: environment.issuingTable,
    Key: issuingKey.deadline(ownerId, deadlineId),
    ConditionExpression: "dueAt = :found",
  };
  const found = { ":found": indexedTime(dueAt, deadlineId) };
  if (!to) return { name: "deadline", Delete: { ...write, ExpressionAttributeValues: found } };
  return {
    name: "deadline",
    Update: {
      ...write,
      UpdateExpression: "SET dueAt = :to REMOVE failures",
      ExpressionAttributeValues: { ...found, ":to": indexedTime(to, deadlineId) },
    },
  };
}

/** The index's order: time, and then the id, which makes rows distinct that are due in the same millisecond. */
export function indexedTime(dueAt: Date, deadlineId: string): string {
  return `${timestamp(dueAt)}#${deadlineId}`;
}
