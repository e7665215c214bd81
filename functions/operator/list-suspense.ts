import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { isOpen, type SuspenseItem } from "../../shared/domain/deposits/suspense.ts";
import { environment } from "../../shared/platform/environment.ts";
import { table } from "../../shared/platform/table/client.ts";
import { issuingKey } from "../../shared/platform/table/keys.ts";
import { readBatch } from "../../shared/platform/table/read-batch.ts";
import type { Command } from "./command.ts";
import { programOf } from "./program-of.ts";

type Status = Awaited<ReturnType<Command<"list-suspense">>>["items"][number]["status"];

/**
 * The deposits of a Program that are in suspense, the oldest first, some at a time.
 *
 * @throws CommandRefused when there is no such Program
 */
export const listSuspense: Command<"list-suspense"> = async (input, actor) => {
  const { programId, limit, after } = input;
  await programOf(programId);
  const { pk, sk } = issuingKey.openSuspense(programId, after ?? "!");
  const { Items = [] } = await table.send(
    new QueryCommand({
      TableName: environment.issuingTable,
      ConsistentRead: true,
      KeyConditionExpression: "pk = :open AND sk > :after",
      ExpressionAttributeValues: { ":open": pk, ":after": sk },
      Limit: limit,
    }),
  );
  const found = await readBatch(Items.map(({ depositId }) => issuingKey.suspense(programId, depositId)));
  const open = (found as unknown as SuspenseItem[]).filter(isOpen);
  // Some were settled between the two reads. A shorter page would look like the end: read it again.
  if (open.length < found.length) return listSuspense(input, actor);
  const items = open
    .toSorted((left, right) => (left.suspenseId < right.suspenseId ? -1 : 1))
    .map(({ suspenseId, depositId, amountMinor, channel, status, reason, account, createdAt }) => ({
      suspenseId,
      depositId,
      amount: amountMinor,
      channel,
      status: status as Status,
      reason,
      accountId: account.accountId,
      dateCreated: createdAt,
    }));
  return { items };
};
