import { now } from "../clock.ts";
import { environment } from "../environment.ts";
import { issuingKey } from "../table/keys.ts";
import { updateItem } from "../table/update-item.ts";
import { indexedTime } from "./deadline.ts";
import type { DueDeadline } from "./due-deadlines.ts";

const firstDelayMs = 60_000;
const maximumDelayMs = 3_600_000;

/**
 * Makes a deadline due again later that was tried in vain: in a minute, then in two, four, … and at last every hour, for as long as it takes.
 * Rows that always fail thus take little of the sweeps' time. Nothing where somebody else has carried it out meanwhile.
 */
export async function postpone({ ownerId, deadlineId, dueAt, failures }: DueDeadline): Promise<void> {
  const delayMs = Math.min(maximumDelayMs, firstDelayMs * 2 ** failures);
  await updateItem("deadline", {
    TableName: environment.issuingTable,
    Key: issuingKey.deadline(ownerId, deadlineId),
    UpdateExpression: "SET dueAt = :later, failures = :failures",
    ConditionExpression: "dueAt = :found",
    ExpressionAttributeValues: {
      ":found": indexedTime(dueAt, deadlineId),
      ":later": indexedTime(new Date(now().getTime() + delayMs), deadlineId),
      ":failures": failures + 1,
    },
  });
}
