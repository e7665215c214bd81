import { Webhook } from "standardwebhooks";

/** A request's, as Node has them (`request.headers`), or as `fetch` does. */
export type SignedHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** @throws WebhookVerificationError if no secret fits, or its time is five minutes from now */
export function verify(secrets: readonly string[], headers: SignedHeaders, body: string | Buffer): void {
  verifyWithOne(secrets, toRecord(headers), body);
}

function verifyWithOne(
  [secret, ...others]: readonly string[],
  headers: Readonly<Record<string, string>>,
  body: string | Buffer,
): void {
  if (secret === undefined) throw new Error("Pass at least one secret to verify with.");
  try {
    new Webhook(secret).verify(body, headers);
  } catch (error) {
    if (others.length === 0) throw error;
    verifyWithOne(others, headers, body);
  }
}

/** No signature fits a header that came twice. */
function toRecord(headers: SignedHeaders): Record<string, string> {
  const entries = headers instanceof Headers ? [...headers.entries()] : Object.entries(headers);
  return Object.fromEntries(
    entries.flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), typeof value === "string" ? value : value.join(", ")]],
    ),
  );
}
