import type { IncomingMessage } from "node:http";
import { type Agent, request as open } from "node:https";

const withoutBody = new Set([204, 205, 304]);
const silenceMs = 60_000;

/** Rejects if the connection fails, is silent for a minute, or the request is aborted. */
export async function send(request: Request, agent: Agent): Promise<Response> {
  const { method, url, signal } = request;
  const headers = { "User-Agent": "card-issuing-client", ...Object.fromEntries(request.headers) };
  const body = Buffer.from(await request.clone().arrayBuffer());
  return new Promise((resolve, reject) => {
    const sent = open(url, { method, headers, agent, signal }, (answer) => {
      toResponse(answer).then(resolve, reject);
    });
    sent.on("error", reject);
    sent.setTimeout(silenceMs, () => sent.destroy(new Error(`No answer within ${silenceMs} ms.`)));
    sent.end(body.length > 0 ? body : undefined);
  });
}

async function toResponse(answer: IncomingMessage): Promise<Response> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  const status = answer.statusCode ?? 0;
  return new Response(withoutBody.has(status) ? null : Buffer.concat(chunks), {
    status,
    headers: Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
  });
}
