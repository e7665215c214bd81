import { request as open } from "node:http";
import { request as openOverTls } from "node:https";

/** As long as the platform waits for an answer. */
const longestMs = 10_000;
/** They are of one connection. The target has another name, and the length is written anew. */
const ofConnection = /^(?:host|connection|keep-alive|transfer-encoding|content-length)$/i;

interface Forwarded {
  readonly status: number;
  readonly line: string;
}

/**
 * Posts the bytes of a notification with its headers, as they came: `rawHeaders` are names and
 * values in turn. Follows no redirect, as the platform does. Returns 502 without an answer.
 */
export async function forward(url: string, rawHeaders: readonly string[], body: Buffer): Promise<Forwarded> {
  const begunMs = performance.now();
  const signal = AbortSignal.timeout(longestMs);
  try {
    const status = await post(new URL(url), { rawHeaders, body, signal });
    return { status, line: `-> ${status} in ${Math.round(performance.now() - begunMs)} ms` };
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    const reason = signal.aborted ? `within ${longestMs / 1_000} s` : code;
    return { status: 502, line: `-> no answer (${reason})` };
  }
}

interface Posted {
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  readonly signal: AbortSignal;
}

function post(url: URL, { rawHeaders, body, signal }: Posted): Promise<number> {
  const kept = rawHeaders.flatMap((name, index) =>
    index % 2 === 1 || ofConnection.test(name) ? [] : [name, rawHeaders[index + 1] ?? ""],
  );
  const headers = ["Host", url.host, ...kept, "Content-Length", String(body.length)];
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const options = { method: "POST", headers, signal };
  const sent = (url.protocol === "https:" ? openOverTls : open)(url, options, (answer) => {
    resolve(answer.statusCode ?? 0);
    answer.on("error", () => undefined).resume();
  });
  sent.on("error", reject).end(body);
  return promise;
}
