import type { RequestListener } from "node:http";
import { type LoopbackServer, startLoopbackServer } from "../loopback-server.ts";

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
