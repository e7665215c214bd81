import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

export interface LoopbackServer {
  /** Without a trailing slash. */
  readonly url: string;
  /** Also closes open connections. */
  stop(): Promise<void>;
}

/** Listens on this machine only. Port 0 selects a free one. */
export async function startLoopbackServer(answer: RequestListener, port = 0): Promise<LoopbackServer> {
  const server = createServer(answer);
  // A connection that ends while a call begins would make its sender repeat it.
  server.keepAliveTimeout = 0;
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
