import type { Received } from "../../harness/receiver.ts";

let last = 0;

/** An amount that no earlier hold had: it identifies the notification. */
export function nextAmount(): number {
  last += 1;
  return last;
}

/** The amount in a notification. */
export function amountOf({ body }: Received): number {
  return JSON.parse(body.toString()).TransAmount;
}
