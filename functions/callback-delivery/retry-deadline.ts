import { type DeliveryMessage, retryDeadlineId } from "../../shared/delivery/delivery-message.ts";
import { deadlinePut } from "../../shared/platform/deadlines/deadline.ts";
import type { WriteAction } from "../../shared/platform/table/transact.ts";

/** The deadline of an attempt that is too far off for a queue. */
export function retryDeadlinePut(message: DeliveryMessage, dueAt: Date): WriteAction {
  const { programId: ownerId, cause } = message;
  return deadlinePut({ ownerId, deadlineId: retryDeadlineId(message), kind: "retry_callback", dueAt, cause });
}
