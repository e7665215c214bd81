import type { DeliveryMessage } from "../../shared/delivery/delivery-message.ts";
import { environment } from "../../shared/platform/environment.ts";
import { randomInteger } from "../../shared/platform/id.ts";
import { maximumDelaySeconds } from "../../shared/platform/queue/outgoing-message.ts";
import { sendTogether } from "../../shared/platform/queue/send-together.ts";

const sendToDetour = sendTogether(() => environment.callbackDetourUrl);

/** Seconds of the first wait: short for a new endpoint, long for one that may be dead. */
export const newDeferralSeconds = 2;
export const suspectDeferralSeconds = 15;

/** Puts a message back that found no place, each time for longer. The attempt is still to be made. */
export async function defer(message: DeliveryMessage, firstSeconds: number): Promise<void> {
  const longest = Math.min(firstSeconds * 2 ** message.deferrals, maximumDelaySeconds);
  await deferFor(message, randomInteger(Math.ceil(longest / 2), longest + 1));
}

/** Puts a message back for so many seconds. */
export function deferFor(message: DeliveryMessage, delaySeconds: number): Promise<void> {
  const seconds = Math.min(delaySeconds, maximumDelaySeconds);
  return moveToDetour({ ...message, deferrals: message.deferrals + 1 }, seconds);
}

export async function moveToDetour(message: DeliveryMessage, delaySeconds: number): Promise<void> {
  await sendToDetour({ body: message, groupId: message.endpointId, delaySeconds });
}
