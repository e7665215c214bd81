import { now } from "../platform/clock.ts";
import { type PostFailure, type PostOutcome, post } from "./post.ts";
import { findReceiver } from "./receiver.ts";
import { signatureHeaders } from "./signature.ts";

/** What is sent to a customer, and where to. */
export interface Callback {
  readonly url: string;
  /** `webhook-id`: the same for all copies. */
  readonly messageId: string;
  readonly body: Uint8Array;
  /** The newest first; each signs. */
  readonly secrets: readonly string[];
}

type CallbackFailure = PostFailure | "RECEIVER_REFUSED" | "NAME_NOT_RESOLVED";

/** What came of one sending: the status where a whole answer came, else why not. */
export type CallbackOutcome =
  | PostOutcome
  | { readonly failure: CallbackFailure; readonly status?: number; readonly latencyMs: number };

/**
 * Sends a callback once, signed as of now. The receiver is checked anew each time, literally and by the address that DNS gives at this moment,
 * and the connection goes to that very address. Never rejects.
 */
export async function sendCallback({ url, messageId, body, secrets }: Callback): Promise<CallbackOutcome> {
  const receiver = await findReceiver(url);
  if ("refusal" in receiver) {
    const isUnknown = receiver.refusal === "NAME_NOT_RESOLVED";
    return { failure: isUnknown ? "NAME_NOT_RESOLVED" : "RECEIVER_REFUSED", latencyMs: 0 };
  }
  return post(receiver, body, {
    "content-type": "application/json",
    "user-agent": "card-issuing-platform",
    ...signatureHeaders(messageId, body, secrets, now()),
  });
}

/** What came of a sending, whichever way it went. */
export interface Sent {
  readonly status?: number;
  readonly failure?: string;
  readonly latencyMs: number;
}

/** Any 2xx, to its end. */
export function isDelivered({ failure, status }: Sent): boolean {
  return failure === undefined && status !== undefined && status >= 200 && status < 300;
}
