import { GetCommand } from "@aws-sdk/lib-dynamodb";
import type { DeliveryMessage } from "../../shared/delivery/delivery-message.ts";
import { type EndpointHealth, isGivenUp } from "../../shared/delivery/endpoint-health.ts";
import { now } from "../../shared/platform/clock.ts";
import { type Deadline, deadlineMove } from "../../shared/platform/deadlines/deadline.ts";
import { environment } from "../../shared/platform/environment.ts";
import { newId } from "../../shared/platform/id.ts";
import { sendMessages } from "../../shared/platform/queue/send-messages.ts";
import { table } from "../../shared/platform/table/client.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { webhookKey } from "../../shared/platform/table/webhook-keys.ts";

/**
 * Sends the last probe's notification again if the endpoint has failed for five days: a failure
 * switches it off. Does nothing if it has succeeded, was switched on again, or is gone.
 */
export async function decideDueEndpoint(deadline: Deadline): Promise<void> {
  const { ownerId: programId, deadlineId: endpointId } = deadline;
  const { Item } = await table.send(
    new GetCommand({
      TableName: environment.issuingTable,
      Key: webhookKey.health(programId, endpointId),
      ConsistentRead: true,
    }),
  );
  const health = Item as EndpointHealth | undefined;
  if (health?.probedWith !== undefined && isGivenUp(health, now())) {
    const body: DeliveryMessage = {
      programId,
      messageId: health.probedWith,
      endpointId,
      deliveryId: newId("event"),
      attempt: 1,
      deferrals: 0,
    };
    await sendMessages(environment.callbackDetourUrl, [{ body, groupId: endpointId }]);
  }
  // Refused where the endpoint has recovered and failed again meanwhile, with a new deadline.
  await transact([deadlineMove(deadline, undefined)]);
}
