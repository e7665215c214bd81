import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { AlertEvent, type AlertMessage } from "../../shared/delivery/alert-event.ts";
import { attemptOfDeadline } from "../../shared/delivery/alert-retry.ts";
import { type Deadline, deadlineDelete } from "../../shared/platform/deadlines/deadline.ts";
import { environment } from "../../shared/platform/environment.ts";
import { sendMessages } from "../../shared/platform/queue/send-messages.ts";
import { table } from "../../shared/platform/table/client.ts";
import { issuingKey } from "../../shared/platform/table/keys.ts";
import { transact } from "../../shared/platform/table/transact.ts";

/**
 * Puts the next attempt to tell of an event, which was too far off for a queue, into it. Sent first: where a sweep ends in between, the next one
 * sends it again, and the attempt is still made once.
 */
export async function retryDueAlert({ ownerId, deadlineId }: Deadline): Promise<void> {
  const { attempt, eventId } = attemptOfDeadline(deadlineId);
  const { Item } = await table.send(
    new GetCommand({ TableName: environment.issuingTable, Key: issuingKey.outbox(ownerId, eventId) }),
  );
  const body: AlertMessage = { detail: AlertEvent.parse(Item), attempt };
  await sendMessages(environment.alertQueueUrl, [{ body, groupId: ownerId }]);
  await transact([deadlineDelete(ownerId, deadlineId)]);
}
