import type { DeliveryError } from "../../contract/webhooks.ts";
import { type Callback, sendCallback } from "../../platform/callbacks/post.ts";
import { now } from "../../platform/clock.ts";
import { log } from "../../platform/log.ts";

/** An email brings the function that sends it: bundles that send none need no client for it. */
export type Content =
  | { readonly callback: Callback }
  | { readonly sendEmail: () => Promise<void> }
  /** A call whose answer is more than an acknowledgement. Never rejects. */
  | { readonly ask: () => Promise<Outcome> };

/** The status of a whole answer, or why there was none. An email that SES accepts counts as 200. */
export interface Outcome {
  readonly status?: number;
  readonly failure?: DeliveryError | "EMAIL_REFUSED";
  readonly latencyMs: number;
}

/** Any 2xx, to its end. */
export function isDelivered({ failure, status }: Outcome): boolean {
  return failure === undefined && status !== undefined && status >= 200 && status < 300;
}

/** Whether the receiver answered 410: it wants no more, ever. */
export function isGone({ failure, status }: Omit<Outcome, "latencyMs">): boolean {
  return failure === undefined && status === 410;
}

/** Sends once. Never rejects. */
export async function send(content: Content): Promise<Outcome> {
  if ("callback" in content) {
    const { body: _, ...outcome } = await sendCallback(content.callback);
    return outcome;
  }
  if ("ask" in content) return content.ask();
  const startedAt = now().getTime();
  try {
    await content.sendEmail();
    return { status: 200, latencyMs: now().getTime() - startedAt };
  } catch (error) {
    log.warn("The email was not accepted.", { error });
    return { failure: "EMAIL_REFUSED", latencyMs: now().getTime() - startedAt };
  }
}
