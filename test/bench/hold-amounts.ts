import type { Received } from "../harness/receiver.ts";

let last = 0;

/** An amount that no hold before had, by which its notification is told from others. */
export function nextAmount(): number {
  last += 1;
  return last;
}

/** The amount in a notification. */
export function amountOf({ body }: Received): number {
  return JSON.parse(body.toString()).TransAmount;
}
