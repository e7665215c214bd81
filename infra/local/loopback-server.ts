import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo, Server } from "node:net";

export interface LoopbackServer {
  /** Without a trailing slash. */
  readonly url: string;
  /** Also closes open connections. */
  stop(): Promise<void>;
}

/** Listens on this machine only. Port 0 selects a free one. */
export function startLoopbackServer(answer: RequestListener, port = 0): Promise<LoopbackServer> {
  const server = createServer(answer);
  // A connection that ends while a call begins would make its sender repeat it.
  server.keepAliveTimeout = 0;
  return listen(server, () => server.closeAllConnections(), port);
}

/** On port 0, a free one. */
export async function listen(server: Server, closeConnections: () => void, port = 0, host = "127.0.0.1") {
  server.listen(port, host);
  await once(server, "listening");
  const taken = (server.address() as AddressInfo).port;
  return {
    port: taken,
    url: `http://${host}:${taken}`,
    stop: async () => {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      closeConnections();
      await closed;
    },
  };
}

/**
 * Undefined for a body of more bytes than `most`. One of up to twice as many is read to its end, so
 * that its sender gets an answer instead of a reset.
 */
export async function readBody(request: IncomingMessage, most: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > 2 * most) break;
    if (bytes <= most) chunks.push(chunk);
  }
  return bytes > most ? undefined : Buffer.concat(chunks);
}

/** The port of the host that needs no client certificate. Its URL is known before the template. */
export interface PlainPort extends LoopbackServer {
  serve(listener: RequestListener): void;
}

export async function openPlainPort(port = 0): Promise<PlainPort> {
  let answer: RequestListener = (_, response) => void response.writeHead(503).end();
  const server = await startLoopbackServer((request, response) => answer(request, response), port);
  return {
    ...server,
    serve: (listener) => {
      answer = listener;
    },
  };
}
