import { pause } from "../clock.ts";
import { randomInteger } from "../id.ts";

/** Attempts at a write that others get in the way of. */
export const maximumAttempts = 16;
const firstDelayMs = 10;
const maximumDelayMs = 500;

/** Waits with full jitter before the next attempt: up to 20 ms after the first, up to half a second after many. */
export function backOff(attempt: number): Promise<void> {
  return pause(randomInteger(0, Math.min(maximumDelayMs, firstDelayMs * 2 ** attempt)));
}
