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

export async function listen(
  server: Server,
  closeConnections: () => void,
  port = 0,
): Promise<LoopbackServer> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      closeConnections();
      await closed;
    },
  };
}

/** Undefined for a body of more bytes than `most`. */
export async function readBody(request: IncomingMessage, most: number): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > most) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
