import type { IncomingMessage } from "node:http";
import type { Recorder } from "../../../../infra/development/turns.ts";
import { type LoopbackServer, startLoopbackServer } from "../../../../infra/local/loopback-server.ts";
import type { Answered, Input } from "./input.ts";

/** Headers that describe a call, and no connection or signature. */
const keptHeaders = ["content-type", "x-amz-target", "x-amzn-query-mode", "x-amz-invocation-type"];

/** Takes calls for a service of the platform from outside, so that each becomes an input. */
export function startIntake(
  service: "queues" | "functions",
  take: (input: Input) => Promise<Answered>,
): Promise<LoopbackServer> {
  return startLoopbackServer((incoming, response) => {
    const serve = async () => {
      const { method = "GET", url: path = "/" } = incoming;
      const headers = Object.fromEntries(keptHeaders.flatMap((name) => headerOf(incoming, name)));
      const body = await readText(incoming);
      const { text, call } = await take({ call: { service, method, path, headers, body } });
      const { "content-length": _, "transfer-encoding": __, ...answered } = call?.headers ?? {};
      response.writeHead(call?.status ?? 200, answered).end(text);
    };
    serve().catch((error) => {
      console.error(error);
      response.writeHead(500).end();
    });
  });
}

/** What a presigned URL writes becomes an input; a replay need not repeat what only reads. */
export function takePresigned(take: (input: Input) => Promise<Answered>): Recorder["presigned"] {
  return (answer) => async (call) => {
    if (call.method !== "PUT") return answer(call);
    const { method, path, query } = call;
    const kept = Object.entries(call.headers).filter(([name]) => objectHeaders.test(name));
    const headers = Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
    const body = call.body.toString("base64");
    const taken = await take({
      call: { service: "objects", method, path: `${path}?${query}`, headers, body },
    });
    const { "content-length": _, "transfer-encoding": __, ...answered } = taken.call?.headers ?? {};
    return { status: taken.call?.status ?? 200, headers: answered, body: Buffer.from(taken.text) };
  };
}

const objectHeaders = /^(content-type|if-(none-)?match|x-amz-checksum-.*)$/;

function headerOf({ headers }: IncomingMessage, name: string): [string, string][] {
  const value = headers[name];
  return value === undefined ? [] : [[name, String(value)]];
}

async function readText(message: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
