import { now } from "../clock.ts";
import { madeAt } from "../id.ts";
import { logMeasured } from "../measured-line.ts";
import { isDelivered, type Sent } from "./send-callback.ts";

/** Tells of an attempt that was made, and measures it: the lag is from the event, whose id has its time inside, to the answer. */
export function logDelivery(
  message: string,
  ids: Readonly<Record<string, string>>,
  attempt: number,
  eventId: string,
  sent: Sent,
): void {
  const { status, failure, latencyMs } = sent;
  logMeasured(message, { ...ids, attempt, status, failure, latencyMs }, () => ({
    DeliveryAttempts: 1,
    DeliveryFailures: isDelivered(sent) ? 0 : 1,
    ...(isDelivered(sent) && {
      [attempt === 1 ? "DeliveryLag" : "RetriedDeliveryLag"]: now().getTime() - madeAt(eventId).getTime(),
    }),
  }));
}
