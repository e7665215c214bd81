import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { getCanonicalQuery } from "@smithy/signature-v4";
import { ServiceError } from "../interfaces.ts";

/** Signature Version 4 as S3 checks it, in a header or in the query of a presigned URL. */

export interface SignedCall {
  readonly method: string;
  /** As it was sent. */
  readonly path: string;
  /** As it was sent, without the question mark. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface Signer {
  readonly accessKeyId: string;
  readonly isPresigned: boolean;
}

interface Signature {
  readonly credential: string;
  readonly signedHeaders: string;
  readonly signature: string;
  /** Such as `20261125T120000Z`. */
  readonly date: string;
  readonly payload: string;
  readonly expiresSeconds?: number;
}

interface Known {
  readonly region: string;
  /** Undefined for an access key that does not exist. */
  findSecret(accessKeyId: string): string | undefined;
  now(): number;
}

const algorithm = "AWS4-HMAC-SHA256";
const longestSeconds = 7 * 86_400;
const skewMs = 15 * 60_000;
const parameterFault = "AuthorizationQueryParametersError";

/** Throws ServiceError. Calls with a header are made now: their time is not checked. */
export function verifySignature(call: SignedCall, known: Known): Signer {
  const found = readSignature(call);
  if (found === undefined) throw new ServiceError(403, "AccessDenied", "Access Denied");
  const [accessKeyId = "", day = "", region, service, end] = found.credential.split("/");
  if (region !== known.region || service !== "s3" || end !== "aws4_request" || !found.date.startsWith(day))
    throw new ServiceError(400, parameterFault, `The credential scope must be of s3 in ${known.region}`);
  const secret = known.findSecret(accessKeyId);
  if (secret === undefined) {
    const message = "The AWS Access Key Id you provided does not exist in our records.";
    throw new ServiceError(403, "InvalidAccessKeyId", message);
  }
  requireSignedHeaders(call, found);
  const expected = sign(call, found, secret, [day, region, service, end]);
  const given = Buffer.from(found.signature);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    const message =
      "The request signature we calculated does not match the signature you provided. Check your key and signing method.";
    throw new ServiceError(403, "SignatureDoesNotMatch", message);
  }
  requireTime(found, known.now());
  return { accessKeyId, isPresigned: found.expiresSeconds !== undefined };
}

/** Undefined for a call that is not signed. */
function readSignature({ headers, query }: SignedCall): Signature | undefined {
  const { authorization = "", "x-amz-date": date, "x-amz-content-sha256": payload } = headers;
  const [scheme, given = ""] = String(authorization).split(/ (.*)/);
  const isPresigned = scheme !== algorithm;
  const parameters = new URLSearchParams(isPresigned ? query : given.replaceAll(/, */g, "&"));
  if (isPresigned && !parameters.has("X-Amz-Signature")) return undefined;
  const part = (name: string) => {
    const [value, ...more] = parameters.getAll(isPresigned ? `X-Amz-${name}` : name);
    if (value !== undefined && value !== "" && more.length === 0) return value;
    throw new ServiceError(400, parameterFault, `A signature needs one ${name}`);
  };
  const parts = {
    credential: part("Credential"),
    signedHeaders: part("SignedHeaders"),
    signature: part("Signature"),
  };
  if (!isPresigned) return { ...parts, date: String(date), payload: String(payload) };
  if (part("Algorithm") !== algorithm)
    throw new ServiceError(400, parameterFault, `X-Amz-Algorithm only supports "${algorithm}"`);
  const expiresSeconds = Number(part("Expires"));
  if (!Number.isInteger(expiresSeconds) || expiresSeconds < 0 || expiresSeconds > longestSeconds)
    throw new ServiceError(400, parameterFault, `X-Amz-Expires must be from 0 to ${longestSeconds}`);
  const signedPayload = parameters.get("X-Amz-Content-Sha256") ?? "UNSIGNED-PAYLOAD";
  return { ...parts, date: part("Date"), payload: signedPayload, expiresSeconds };
}

/** S3 takes no header of its own, and no host, that the signature leaves open. */
function requireSignedHeaders({ headers }: SignedCall, { signedHeaders, expiresSeconds }: Signature): void {
  const signed = signedHeaders.split(";");
  const open = Object.keys(headers).filter((name) => name.startsWith("x-amz-") && !signed.includes(name));
  const isPresigned = expiresSeconds !== undefined;
  if (signed.includes("host") && (!isPresigned || open.length === 0)) return;
  const message = "There were headers present in the request which were not signed";
  throw new ServiceError(403, "AccessDenied", message);
}

function requireTime({ date, expiresSeconds }: Signature, nowMs: number): void {
  if (expiresSeconds === undefined) return;
  const signedAt = Date.parse(
    date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"),
  );
  if (Number.isNaN(signedAt))
    throw new ServiceError(400, parameterFault, "X-Amz-Date must be as 20261125T120000Z");
  if (signedAt > nowMs + skewMs) throw new ServiceError(403, "AccessDenied", "Request is not valid yet");
  if (signedAt + expiresSeconds * 1000 < nowMs)
    throw new ServiceError(403, "AccessDenied", "Request has expired");
}

function sign(call: SignedCall, found: Signature, secret: string, scope: readonly string[]): Buffer {
  const { method, path, query, headers } = call;
  const { signedHeaders, date, payload } = found;
  const names = signedHeaders.split(";");
  const canonical = [
    method,
    path,
    canonicalQuery(query),
    ...names.map(
      (name) =>
        `${name}:${String(headers[name] ?? "")
          .trim()
          .replaceAll(/ +/g, " ")}`,
    ),
    "",
    signedHeaders,
    payload,
  ].join("\n");
  const digest = createHash("sha256").update(canonical).digest("hex");
  const text = [algorithm, date, scope.join("/"), digest].join("\n");
  const hmac = (key: string | Buffer, value: string) => createHmac("sha256", key).update(value).digest();
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${secret}`);
  return Buffer.from(hmac(key, text).toString("hex"));
}

function canonicalQuery(query: string): string {
  const parameters = Object.fromEntries(new URLSearchParams(query));
  return getCanonicalQuery({ query: parameters } as Parameters<typeof getCanonicalQuery>[0]);
}
