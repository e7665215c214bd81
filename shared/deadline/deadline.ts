import { timestamp } from "../clock.ts";
import { environment } from "../environment.ts";
import { issuingKey, shardOf } from "../table/keys.ts";
import type { WriteAction } from "../table/transact.ts";

/** Something to do later: a row that the sweep finds once it is due. One kind of work, one record that it is done to. */
export interface Deadline {
  readonly programId: string;
  /** The id of the record that the work is done to, so that whoever holds the record can call the deadline off. */
  readonly deadlineId: string;
  readonly kind: DeadlineKind;
  readonly dueAt: Date;
}

export const deadlineKinds = ["clear_deposit", "expire_hold", "forget_code"] as const;
export type DeadlineKind = (typeof deadlineKinds)[number];

/** The partitions of the `by-due` index: several, so that no single one takes every deadline's writes. */
export const dueShardCount = 16;
export const dueShard = (shard: number): string => `DUE#${shard}`;

/** Writes the deadline, in the transaction that creates the need for it. */
export function deadlinePut({ programId, deadlineId, kind, dueAt }: Deadline): WriteAction {
  return {
    name: "deadline",
    Put: {
      TableName: environment.issuingTable,
      Item: {
        ...issuingKey.deadline(programId, deadlineId),
        programId,
        deadlineId,
        kind,
        dueShard: dueShard(shardOf(deadlineId, dueShardCount)),
        // The id makes rows that are due in the same millisecond distinct and gives them an order.
        dueAt: `${timestamp(dueAt)}#${deadlineId}`,
      },
      ConditionExpression: "attribute_not_exists(pk)",
    },
  };
}

/** Takes the deadline away: it is executed, or called off. Part of the transaction that makes it superfluous. */
export function deadlineDelete(programId: string, deadlineId: string): WriteAction {
  return {
    name: "deadline",
    Delete: { TableName: environment.issuingTable, Key: issuingKey.deadline(programId, deadlineId) },
  };
}
