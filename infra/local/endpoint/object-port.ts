import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { AccessDenied } from "../access/access-control.ts";
import { toSecretKey } from "../access/guard.ts";
import type { ServiceCall } from "../access/requested.ts";
import { type Signer, verifySignature } from "../access/s3-signature.ts";
import { type Clock, ServiceError } from "../interfaces.ts";
import { openPlainPort, readBody } from "../loopback-server.ts";
import { fault, type ObjectAnswer, type ObjectCall } from "./object-store.ts";

type AnswerCall = (call: ObjectCall) => Promise<ObjectAnswer>;

interface Parts {
  readonly answer: AnswerCall;
  /** Answers who only has a URL. */
  readonly presigned?: AnswerCall | undefined;
}

export type ObjectPort = Awaited<ReturnType<typeof startObjectPort>>;

export interface ObjectPortOptions {
  readonly region: string;
  readonly clock: Pick<Clock, "now">;
  /** Throws AccessDenied. */
  readonly check: (accessKeyId: string, call: ServiceCall) => void;
  /** By access key id. Default: those of this run's functions. */
  readonly findSecret?: (accessKeyId: string) => string | undefined;
}

/** S3 itself takes 5 GB. */
const largestBytes = 64 * 1024 * 1024;
const tooLarge = `Your proposed upload exceeds the maximum allowed object size: ${largestBytes} bytes`;

/**
 * S3's address for functions, and for who has a URL that a function signed. Others learn it from
 * such a URL, so each call must prove its key, and has its function's rights.
 */
export async function startObjectPort(options: ObjectPortOptions) {
  const known = { findSecret: toSecretKey, ...options, now: () => options.clock.now() };
  const answer = async (request: IncomingMessage, parts: Parts): Promise<ObjectAnswer> => {
    const { method = "", url = "", headers } = request;
    const [path = "", query = ""] = url.split("?");
    const signer = verifySignature({ method, path, query, headers }, known);
    const isMeant = (name: string) => !authenticating.test(name);
    const parameters = [...new URLSearchParams(query)].filter(([name]) => isMeant(name));
    const [inHeaders, inQuery] = [parameters.filter(isHeader), parameters.filter((one) => !isHeader(one))];
    const call = {
      method,
      path,
      query: new URLSearchParams(inQuery),
      headers: { ...headers, ...Object.fromEntries(inHeaders) },
    };
    const ifMatch = call.headers["if-match"]?.toString();
    const isLocked = call.headers["x-amz-object-lock-mode"] !== undefined;
    const asked = { method, path, ifMatch, isLocked, service: "s3", target: undefined, body: {} } as const;
    options.check(signer.accessKeyId, asked);
    const body = await readBody(request, largestBytes);
    if (!body) return fault(400, "EntityTooLarge", tooLarge);
    if (!isBodySigned(headers["x-amz-content-sha256"], body, signer))
      return fault(400, "XAmzContentSHA256Mismatch", "The body is not the one that was signed");
    const serve = signer.isPresigned ? (parts.presigned ?? parts.answer) : parts.answer;
    return serve({ ...call, body });
  };
  const server = await openPlainPort();
  /** Until this call, every request gets 503. */
  const serve = (parts: Parts) =>
    server.serve((request, response) => {
      answer(request, parts)
        .catch(toAnswer)
        .then(({ status, body, headers }) => response.writeHead(status, headers).end(body))
        .catch((error) => response.destroy(error));
    });
  return { ...server, serve };
}

/** What presigning added to the query. */
const authenticating =
  /^X-Amz-(Algorithm|Content-Sha256|Credential|Date|Expires|Security-Token|Signature|SignedHeaders)$/;

/** A presigned URL has S3's own headers in its query. */
function isHeader([name]: [string, string]): boolean {
  return name.startsWith("x-amz-");
}

function isBodySigned(digest: string | string[] | undefined, body: Buffer, { isPresigned }: Signer): boolean {
  const isOpen = isPresigned || !/^[\da-f]{64}$/.test(String(digest));
  return isOpen || createHash("sha256").update(body).digest("hex") === digest;
}

function toAnswer(error: unknown): ObjectAnswer {
  if (error instanceof ServiceError) return fault(error.status, error.code, error.message);
  if (error instanceof AccessDenied) return fault(403, "AccessDenied", error.message);
  return fault(500, "InternalError", String(error));
}
