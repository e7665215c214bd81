import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { DeliveryError } from "../../contract/webhooks.ts";
import { now } from "../clock.ts";
import { findReceiver, type Receiver } from "./receiver.ts";
import { signatureHeaders } from "./signature.ts";

const maximumDurationMs = 10_000;
export const maximumResponseBytes = 64 * 1024;

export interface Callback {
  readonly url: string;
  /** `webhook-id`: the same for all copies. */
  readonly messageId: string;
  readonly body: Uint8Array;
  /** The newest first; each signs. */
  readonly secrets: readonly string[];
}

/** The status and the body of a whole answer, or why there was none. */
export interface CallbackOutcome {
  readonly status?: number;
  readonly failure?: DeliveryError;
  readonly body?: Buffer;
  readonly latencyMs: number;
}

/** Signs and posts once, to an address that is checked now. Never rejects. */
export async function sendCallback(
  { url, messageId, body, secrets }: Callback,
  limitMs: number = maximumDurationMs,
): Promise<CallbackOutcome> {
  const receiver = await findReceiver(url);
  if ("fault" in receiver) {
    const isUnknown = receiver.fault === "NAME_NOT_RESOLVED";
    return { failure: isUnknown ? "NAME_NOT_RESOLVED" : "RECEIVER_REFUSED", latencyMs: 0 };
  }
  const headers = {
    "content-type": "application/json",
    "user-agent": "card-issuing-platform",
    ...signatureHeaders(messageId, body, secrets, now()),
  };
  return post(receiver, body, headers, limitMs);
}

type Answer = Omit<CallbackOutcome, "latencyMs">;

/**
 * Connections stay open for further posts to the same address, port and TLS host. Each post has its
 * address checked, so another address gets another connection, whose certificate is verified.
 */
const agentOptions = {
  keepAlive: true,
  // Less than servers wait for a further request, mostly 5 s and more.
  timeout: 4_000,
  maxFreeSockets: 10,
  maxCachedSessions: 0,
};

const keptConnections = new HttpsAgent(agentOptions);

/**
 * Posts to the checked address; TLS is verified against the URL's host. No redirects; 10 s and 64
 * KB at most; encoded answers are not read: they could expand. Never rejects.
 */
export async function post(
  { url, address, isLocal }: Receiver,
  body: Uint8Array,
  headers: Readonly<Record<string, string>>,
  limitMs: number = maximumDurationMs,
): Promise<CallbackOutcome> {
  const startedAt = now().getTime();
  const signal = AbortSignal.timeout(limitMs);
  const options: RequestOptions & { servername?: string; rejectUnauthorized?: boolean } = {
    method: "POST",
    host: address,
    path: `${url.pathname}${url.search}`,
    headers: {
      ...headers,
      host: url.host,
      "content-length": String(body.byteLength),
      "accept-encoding": "identity",
    },
    signal,
    ...(url.port !== "" && { port: url.port }),
    ...(url.protocol === "https:" && !isLocal && { servername: url.hostname }),
    // On loopback a certificate proves nothing: plain HTTP is allowed there too.
    ...(isLocal && { rejectUnauthorized: false }),
  };
  const isSecure = url.protocol === "https:";
  // Imported only for plain HTTP, which is local: `node:http` loads all of undici.
  const request = isSecure ? httpsRequest : (await import("node:http")).request;
  const attempt = (agent: Agent | false) => exchange(request({ ...options, agent }), body, signal);
  const answer =
    // Not of plain HTTP: when a connection ends depends on real time, which a replay has not.
    (await attempt(isSecure && keptConnections)) ??
    (await attempt(false)) ??
    ({ failure: "CONNECTION_LOST" } as const);
  return { ...answer, latencyMs: now().getTime() - startedAt };
}

/** Undefined if the receiver had closed a kept connection, which it may at any time. */
function exchange(sending: ClientRequest, body: Uint8Array, signal: AbortSignal) {
  return new Promise((done) => {
    sending.on("error", (error: NodeJS.ErrnoException) => {
      const isStale = sending.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE");
      done(isStale ? undefined : { failure: toDeliveryError(error, signal, sending) });
    });
    // A switch of protocols emits no response, only `close`.
    sending.on("close", () => done({ failure: "CONNECTION_LOST" }));
    sending.on("response", (response) => done(read(response, signal)));
    sending.end(body);
  });
}

/** Reads an answer to its end or its limit. */
async function read(response: IncomingMessage, signal: AbortSignal): Promise<Answer> {
  const status = response.statusCode ?? 0;
  const encoding = response.headers["content-encoding"] ?? "identity";
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    if (encoding.toLowerCase() !== "identity") return { failure: "RESPONSE_ENCODED", status };
    for await (const chunk of response) {
      chunks.push(chunk as Buffer);
      bytes += (chunk as Buffer).byteLength;
      if (bytes > maximumResponseBytes) return { failure: "RESPONSE_TOO_LARGE", status };
    }
    return { status, body: Buffer.concat(chunks, bytes) };
  } catch {
    return { failure: signal.aborted ? "TIMEOUT" : "CONNECTION_LOST", status };
  } finally {
    response.destroy();
  }
}

function toDeliveryError(error: NodeJS.ErrnoException, signal: AbortSignal, request: ClientRequest) {
  if (signal.aborted) return "TIMEOUT";
  const code = error.code ?? "";
  if (code.startsWith("HPE_")) return "RESPONSE_INVALID";
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_OSSL|EPROTO)/.test(code))
    return "TLS_FAILED";
  const isConnected =
    request.socket !== null && request.socket?.connecting === false && code !== "ECONNREFUSED";
  return isConnected ? "CONNECTION_LOST" : "CONNECTION_FAILED";
}
