import type { ClientRequest, IncomingMessage, RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { now } from "../platform/clock.ts";
import type { Receiver } from "./receiver.ts";

const maximumDurationMs = 10_000;
export const maximumResponseBytes = 64 * 1024;

/** Why a receiver gave no answer that counts. */
export type PostFailure =
  | "TIMEOUT"
  | "CONNECTION_FAILED"
  | "CONNECTION_LOST"
  | "TLS_FAILED"
  | "RESPONSE_INVALID"
  | "RESPONSE_TOO_LARGE"
  | "RESPONSE_ENCODED";

/** What came of a request: the status where a whole answer came, else why not. */
export type PostOutcome = { readonly latencyMs: number } & (
  | { readonly status: number }
  | { readonly failure: PostFailure; readonly status?: number }
);

/**
 * Posts bytes to a receiver, over a connection of its own to the address that was checked. TLS is verified against the URL's host; redirects are
 * answers like any other and not followed. The whole exchange may take 10 s and the answer 64 KB; an encoded answer is not read, so
 * that nothing can unfold in memory. Never rejects.
 */
export async function post(
  receiver: Receiver,
  body: Uint8Array,
  headers: Readonly<Record<string, string>>,
  limitMs: number = maximumDurationMs,
): Promise<PostOutcome> {
  const startedAt = now().getTime();
  const { url, address, isLocal } = receiver;
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
      connection: "close",
    },
    agent: false,
    signal,
    ...(url.port !== "" && { port: url.port }),
    ...(url.protocol === "https:" && !isLocal && { servername: url.hostname }),
    // On loopback a certificate proves nothing that plain HTTP, which is allowed there as well, would not lack.
    ...(isLocal && { rejectUnauthorized: false }),
  };
  // Of the local environment alone; and whoever imports it has all of undici read with it.
  const send = url.protocol === "https:" ? httpsRequest : (await import("node:http")).request;
  const outcome = await new Promise<{ status: number } | { failure: PostFailure; status?: number }>(
    (done) => {
      const request = send(options);
      request.on("error", (error) => done({ failure: failureOf(error, signal, request) }));
      // An answer that is no response, such as a switch of protocols, only closes.
      request.on("close", () => done({ failure: "CONNECTION_LOST" }));
      request.on("response", (response) => done(read(response, signal)));
      request.end(body);
    },
  );
  return { ...outcome, latencyMs: now().getTime() - startedAt };
}

/** Reads an answer to its end, or to where it is refused; what it says beside its status is of no interest. */
async function read(
  response: IncomingMessage,
  signal: AbortSignal,
): Promise<{ status: number } | { failure: PostFailure; status: number }> {
  const status = response.statusCode ?? 0;
  const encoding = response.headers["content-encoding"] ?? "identity";
  let bytes = 0;
  try {
    if (encoding.toLowerCase() !== "identity") return { failure: "RESPONSE_ENCODED", status };
    for await (const chunk of response) {
      bytes += (chunk as Buffer).byteLength;
      if (bytes > maximumResponseBytes) return { failure: "RESPONSE_TOO_LARGE", status };
    }
    return { status };
  } catch {
    return { failure: signal.aborted ? "TIMEOUT" : "CONNECTION_LOST", status };
  } finally {
    response.destroy();
  }
}

function failureOf(error: NodeJS.ErrnoException, signal: AbortSignal, request: ClientRequest): PostFailure {
  if (signal.aborted) return "TIMEOUT";
  const code = error.code ?? "";
  if (code.startsWith("HPE_")) return "RESPONSE_INVALID";
  if (/^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_OSSL|EPROTO)/.test(code))
    return "TLS_FAILED";
  const isConnected =
    request.socket !== null && request.socket?.connecting === false && code !== "ECONNREFUSED";
  return isConnected ? "CONNECTION_LOST" : "CONNECTION_FAILED";
}
