import { createHmac, timingSafeEqual } from "node:crypto";
import { timestamp, unixSeconds } from "../clock.ts";
import { randomToken } from "../id.ts";

const prefix = "whsec_";
const secretBytes = 32;

/** A new signing secret, in the form of Standard Webhooks. */
export function newSigningSecret(): string {
  return `${prefix}${Buffer.from(randomToken(secretBytes), "base64url").toString("base64")}`;
}

/** How an endpoint stores them. */
interface SigningSecrets {
  readonly secret: string;
  /** What was replaced signs as well, until its time. After two rotations, a space between both. */
  readonly previousSecret?: string | undefined;
  readonly previousSecretExpiresAt?: string | undefined;
}

const overlapMs = 24 * 3_600_000;

/** Until when a secret that is replaced now also signs. */
export function overlapEnd(at: Date): string {
  return timestamp(new Date(at.getTime() + overlapMs));
}

/** The answer of the rotation before may be lost: the secret that it replaced signs on. */
export function rotateSecrets(before: SigningSecrets, secret: string, at: Date) {
  const previousSecret = signingSecrets(before, at).slice(0, 2).join(" ");
  return { secret, previousSecret, previousSecretExpiresAt: overlapEnd(at) };
}

/** Newest first. */
export function signingSecrets(secrets: SigningSecrets, at: Date): string[] {
  const { secret, previousSecret } = secrets;
  return [secret, ...((isRotating(secrets, at) && previousSecret?.split(" ")) || [])];
}

export function isRotating({ previousSecretExpiresAt }: SigningSecrets, at: Date): boolean {
  return previousSecretExpiresAt !== undefined && new Date(previousSecretExpiresAt) > at;
}

/** Standard Webhooks. Each secret signs, so that either verifies during a rotation. */
export function signatureHeaders(
  messageId: string,
  body: Uint8Array,
  secrets: readonly string[],
  at: Date,
): Record<string, string> {
  const sentAt = String(unixSeconds(at));
  const signatures = secrets.map((secret) => sign(messageId, sentAt, body, secret));
  return {
    "webhook-id": messageId,
    "webhook-timestamp": sentAt,
    "webhook-signature": signatures.join(" "),
  };
}

function sign(messageId: string, sentAt: string, body: Uint8Array | string, secret: string): string {
  const key = Buffer.from(secret.slice(prefix.length), "base64");
  const signed = createHmac("sha256", key).update(`${messageId}.${sentAt}.`).update(body);
  return `v1,${signed.digest("base64")}`;
}

const toleranceMs = 5 * 60_000;

/**
 * Whether another side signed the body as `signatureHeaders` does, at most 5 minutes ago or ahead.
 * The names of the headers are in lower case.
 */
export function isSigned(
  headers: Readonly<Record<string, string | undefined>>,
  body: string,
  secret: string,
  at: Date,
): boolean {
  const { "webhook-id": id = "", "webhook-timestamp": sentAt = "", "webhook-signature": all = "" } = headers;
  if (id === "" || !/^\d{1,11}$/.test(sentAt)) return false;
  if (Math.abs(Number(sentAt) * 1000 - at.getTime()) > toleranceMs) return false;
  const expected = Buffer.from(sign(id, sentAt, body, secret));
  const given = all.split(" ").map((one) => Buffer.from(one));
  return given.some((one) => one.length === expected.length && timingSafeEqual(one, expected));
}
