import * as z from "zod";
import { Cause } from "../contract/outbox.ts";

/** One attempt to be made: which message, to which endpoint, for the how-many-th time. */
export const DeliveryMessage = z.object({
  programId: z.string(),
  /** `webhook-id`: the TransId_SC of a notification. */
  messageId: z.string(),
  /** The webhookId. */
  endpointId: z.string(),
  /** The event that it is sent for: what repeats the event sends nothing twice that was delivered. */
  deliveryId: z.string(),
  /** From 1. */
  attempt: z.int().min(1),
  /** How many times it had to wait for a place. */
  deferrals: z.int().min(0).default(0),
  /** What the event goes back to. */
  cause: Cause.optional(),
});
export type DeliveryMessage = z.output<typeof DeliveryMessage>;

/** Of the parts of a message in a deadline's id; none of them has one inside. */
const separator = "|";

/** The deadline of an attempt that is due later. Ends in the delivery's id, whose characters spread deadlines evenly. */
export function retryDeadlineId({
  attempt,
  messageId,
  endpointId,
  deliveryId,
}: Omit<DeliveryMessage, "deferrals" | "cause">): string {
  return ["callback", attempt, messageId, endpointId, deliveryId].join(separator);
}

/** The attempt that a deadline is for. */
export function messageOfDeadline(programId: string, deadlineId: string, cause?: Cause): DeliveryMessage {
  const [, number, messageId, endpointId, deliveryId] = deadlineId.split(separator);
  const attempt = Number(number);
  return DeliveryMessage.parse({ programId, attempt, messageId, endpointId, deliveryId, cause });
}
