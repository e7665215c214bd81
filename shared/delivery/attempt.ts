import type { z } from "zod";
import type { DeliveryAttempt, DeliveryError } from "../contract/webhooks.ts";

/** One attempt to send a callback, as it is stored. */
export interface Attempt {
  /** The webhook endpoint that it went to. */
  readonly endpointId: string;
  readonly deliveryId: string;
  /** From 1 within its delivery. */
  readonly attempt: number;
  readonly delivered: boolean;
  readonly responseStatus?: number | undefined;
  readonly error?: DeliveryError | undefined;
  readonly latencyMs: number;
  readonly bodySha256: string;
  readonly createdAt: string;
  /** When the next one is due; absent after the last. */
  readonly nextAttemptAt?: string | undefined;
  /** It switched its endpoint off: nothing follows. */
  readonly disabled?: boolean | undefined;
}

/** An attempt as it is answered. */
export function attemptView(attempt: Attempt): z.output<typeof DeliveryAttempt> {
  const { endpointId, deliveryId, delivered, responseStatus, error } = attempt;
  return {
    webhookId: endpointId,
    deliveryId,
    attempt: attempt.attempt,
    delivered,
    responseStatus,
    error,
    latencyMs: attempt.latencyMs,
    bodySha256: attempt.bodySha256,
    dateCreated: attempt.createdAt,
    nextAttemptAt: attempt.nextAttemptAt,
  };
}
