import { messageOfDeadline } from "../../shared/callback/delivery-message.ts";
import { type Deadline, deadlineDelete } from "../../shared/deadline/deadline.ts";
import { environment } from "../../shared/environment.ts";
import { sendTogether } from "../../shared/queue/send-together.ts";
import { transact } from "../../shared/table/transact.ts";

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
