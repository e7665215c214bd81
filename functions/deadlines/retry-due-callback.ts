import { messageOfDeadline } from "../../shared/delivery/delivery-message.ts";
import { type Deadline, deadlineDelete } from "../../shared/platform/deadlines/deadline.ts";
import { environment } from "../../shared/platform/environment.ts";
import { sendTogether } from "../../shared/platform/queue/send-together.ts";
import { transact } from "../../shared/platform/table/transact.ts";

const sendToDetour = sendTogether(() => environment.callbackDetourUrl);

/**
 * Puts the next attempt of a callback, which was too far off for a queue, into it. Sent first: where a sweep ends in between, the next one sends it
 * again, and the attempt is still made once.
 */
export async function retryDueCallback({ ownerId, deadlineId, cause }: Deadline): Promise<void> {
  const body = messageOfDeadline(ownerId, deadlineId, cause);
  await sendToDetour({ body, groupId: body.endpointId });
  await transact([deadlineDelete(ownerId, deadlineId)]);
}
