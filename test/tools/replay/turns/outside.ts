import type { IncomingMessage, ServerResponse } from "node:http";
import { connect } from "node:net";
import { MessageChannel, type MessagePort } from "node:worker_threads";
import { Agent, request as send } from "undici";
import { startLoopbackServer } from "../../../../infra/local/loopback-server.ts";

/** How a receiver outside of the platform answered. */
export type OutsideAnswer =
  /** It accepts no connections. */
  | { outcome: "refused" }
  /** It closed the connection without an answer. */
  | { outcome: "lost" }
  /** It did not answer in time. */
  | { outcome: "silent" }
  | {
      outcome: "answered";
      status: number;
      bytes: number;
      /** Of a short answer: a decision on an authorization is read. */
      body?: string | undefined;
      encoding?: string;
      afterMs?: number;
    };

export interface OutsideRequest {
  host: string;
  port: number;
  method: string;
  path: string;
  headers: IncomingMessage["headers"];
  body: Buffer;
}

/** Where answers come from: the receivers themselves, or a recording. */
export interface Receivers {
  accepts(host: string, port: number): Promise<boolean>;
  answer(request: OutsideRequest): Promise<OutsideAnswer>;
}

/** What a thread asks, and the answer to its call. */
export type OutsideQuestion = { kind: "connect"; host: string; port: number } | { kind: "arrived" };
export type OutsideReply =
  | { kind: "connect"; port: number | undefined }
  | { kind: "waits"; afterMs: number | undefined };

/** Stands between functions and receivers, and keeps their answers. */
export interface Outside {
  /** The end of a thread, which asks before it connects. */
  openPort(): MessagePort;
  /** Returns the answers of the turn, which are added as they come. */
  beginTurn(): readonly OutsideAnswer[];
  stop(): Promise<void>;
}

/** `sent` gets the text of every request. */
export async function startOutside(receivers: Receivers, sent: (text: string) => void): Promise<Outside> {
  let answers: OutsideAnswer[] = [];
  let target = { host: "", port: 0 };
  let thread: MessagePort | undefined;
  let arrived = () => {};
  const keep = (answer: OutsideAnswer) => {
    answers.push(answer);
    return answer;
  };
  const reply = (message: OutsideReply) => thread?.postMessage(message);
  const server = await startLoopbackServer((incoming, response) => {
    const serve = async () => {
      const { method = "GET", url: path = "/", headers } = incoming;
      const body = await readAll(incoming);
      sent(body.toString());
      const answer = keep(await receivers.answer({ ...target, method, path, headers, body }));
      if (answer.outcome === "silent") return reply({ kind: "waits", afterMs: undefined });
      if (answer.outcome === "answered" && answer.afterMs !== undefined) {
        const { afterMs } = answer;
        await new Promise<void>((resolve) => {
          arrived = resolve;
          reply({ kind: "waits", afterMs });
        });
      }
      write(answer, response);
    };
    serve().catch(() => response.destroy());
  });
  const { port: serverPort } = new URL(server.url);
  const ports = new Set<MessagePort>();
  return {
    openPort: () => {
      const { port1, port2 } = new MessageChannel();
      ports.add(port1);
      port1.on("message", async (question: OutsideQuestion) => {
        if (question.kind === "arrived") return arrived();
        thread = port1;
        target = { host: question.host, port: question.port };
        const accepts = await receivers.accepts(target.host, target.port);
        if (!accepts) keep({ outcome: "refused" });
        reply({ kind: "connect", port: accepts ? Number(serverPort) : undefined });
      });
      port1.unref();
      return port2;
    },
    beginTurn: () => {
      answers = [];
      return answers;
    },
    stop: async () => {
      for (const port of ports) port.close();
      await server.stop();
    },
  };
}

function write(answer: OutsideAnswer, response: ServerResponse): void {
  if (answer.outcome !== "answered") return void response.destroy();
  const { status, bytes, body, encoding } = answer;
  response.writeHead(status, { ...(encoding !== undefined && { "content-encoding": encoding }) });
  response.end(body ?? Buffer.alloc(bytes));
}

async function readAll(message: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Longer than any sender waits. */
const silenceMs = 11_000;
/** Faster answers count as immediate, so that recordings of the same run differ less. */
const immediateMs = 500;
/** More than any sender reads. */
const largestAnswerBytes = 128 * 1024;
/** Longer bodies are replayed as so many zeros. */
const largestKeptBytes = 1024;

/** The receivers on this machine. */
export function liveReceivers(): Receivers & { close(): Promise<void> } {
  const dispatcher = new Agent({ connect: { timeout: silenceMs } });
  return {
    accepts: (host, port) =>
      new Promise((resolve) => {
        const socket = connect({ host, port });
        socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
        socket.once("connect", () => socket.destroy());
      }),
    answer: async ({ host, port, method, path, headers, body }) => {
      const startedMs = performance.now();
      const signal = AbortSignal.timeout(silenceMs);
      const { connection: _, ...others } = headers;
      const url = `http://${host}:${port}${path}`;
      try {
        const answer = await send(url, {
          dispatcher,
          method: method as "POST",
          headers: others,
          body,
          signal,
        });
        const chunks: Buffer[] = [];
        let bytes = 0;
        for await (const chunk of answer.body) {
          chunks.push(chunk as Buffer);
          bytes += (chunk as Buffer).length;
          if (bytes > largestAnswerBytes) break;
        }
        const elapsedMs = Math.round(performance.now() - startedMs);
        const encoding = answer.headers["content-encoding"];
        return {
          outcome: "answered",
          status: answer.statusCode,
          bytes: Math.min(bytes, largestAnswerBytes),
          ...(bytes > 0 && bytes <= largestKeptBytes && { body: Buffer.concat(chunks).toString() }),
          ...(typeof encoding === "string" && { encoding }),
          ...(elapsedMs >= immediateMs && { afterMs: elapsedMs }),
        };
      } catch {
        return { outcome: signal.aborted ? "silent" : "lost" };
      }
    },
    close: () => dispatcher.destroy(),
  };
}

/** The answers of a recording, in order. A call that it does not have counts as lost. */
export function recordedReceivers(): Receivers & {
  expect(answers: readonly OutsideAnswer[]): void;
  /** How many were not asked for. */
  left(): number;
} {
  let left: OutsideAnswer[] = [];
  return {
    expect: (answers) => {
      left = [...answers];
    },
    left: () => left.length,
    accepts: async () => {
      if (left[0]?.outcome !== "refused") return true;
      left.shift();
      return false;
    },
    answer: async () => left.shift() ?? { outcome: "lost" },
  };
}
