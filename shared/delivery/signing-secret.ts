import { randomToken } from "../platform/id.ts";

const secretBytes = 32;

/** A new secret for signing callbacks, in Standard Webhooks' form: shown once, and kept to sign with. */
export function newSigningSecret(): string {
  return `whsec_${Buffer.from(randomToken(secretBytes), "base64url").toString("base64")}`;
}
