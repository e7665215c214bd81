import { createHmac } from "node:crypto";
import { unixSeconds } from "../clock.ts";
import { randomToken } from "../id.ts";

const prefix = "whsec_";
const secretBytes = 32;

/** A new signing secret, in the form of Standard Webhooks. */
export function newSigningSecret(): string {
  return `${prefix}${Buffer.from(randomToken(secretBytes), "base64url").toString("base64")}`;
}

/** Standard Webhooks. Each secret signs, so that either verifies during a rotation. */
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
