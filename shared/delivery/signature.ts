import { createHmac } from "node:crypto";
import { unixSeconds } from "../platform/clock.ts";

const prefix = "whsec_";

/**
 * The headers by which a receiver verifies a callback (Standard Webhooks): its id, the time of this very sending, and one signature for each
 * secret, so that either secret verifies it during a rotation.
 */
export function signatureHeaders(
  messageId: string,
  body: Uint8Array,
  secrets: readonly string[],
  at: Date,
): Record<string, string> {
  const sentAt = String(unixSeconds(at));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(prefix.length), "base64");
    const signed = createHmac("sha256", key).update(`${messageId}.${sentAt}.`).update(body);
    return `v1,${signed.digest("base64")}`;
  });
  return {
    "webhook-id": messageId,
    "webhook-timestamp": sentAt,
    "webhook-signature": signatures.join(" "),
  };
}
