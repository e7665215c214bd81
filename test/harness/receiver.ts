import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { issueAuthority, issueLeaf } from "../../infra/development/issue-certificate.ts";

/** One request as it arrived, body and all. */
export interface Received {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** When its first bytes arrived, in `performance.now()` time. */
  readonly arrivedMs: number;
}

/** How the receiver behaves once a request is there whole. Without an answer, the request hangs. */
type Behaviour = (received: Received, response: ServerResponse, request: IncomingMessage) => unknown;

export interface Receiver {
  /** For ALLOWED_RECEIVERS, and to register endpoints below. */
  readonly origin: string;
  readonly port: number;
  readonly received: readonly Received[];
  behave(behaviour: Behaviour): void;
  stop(): Promise<void>;
}

export interface TlsIdentity {
  readonly cert: string;
  readonly key: string;
  /** The authority that vouches for it. */
  readonly ca: string;
}

const day = 86_400_000;

/** A server certificate for the host, with its own CA. */
export async function givenTlsIdentity(host: string, ended = false): Promise<TlsIdentity> {
  const at = Date.now();
  const validity = { notBefore: new Date(at - 3 * day), notAfter: new Date(at + day) };
  const authority = await issueAuthority("Test CA", validity);
  const leaf = await issueLeaf({
    authority,
    subject: [{ CN: [host] }],
    alternativeNames: [{ type: "dns", value: host }],
    usage: "serverAuth",
    ...validity,
    ...(ended && { notAfter: new Date(at - day) }),
  });
  return { cert: leaf.certificatePem, key: leaf.keyPem, ca: authority.certificatePem };
}

/** A customer's server on a loopback port, by default a free one. It answers 204 by default. */
export async function startReceiver(tls?: TlsIdentity, givenPort = 0): Promise<Receiver> {
  const received: Received[] = [];
  let behaviour: Behaviour = (_, response) => response.writeHead(204).end();
  const listener: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    const arrivedMs = performance.now();
    request.on("error", () => undefined);
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const headers = request.headers as Record<string, string>;
      const one = { path: request.url ?? "", headers, body: Buffer.concat(chunks), arrivedMs };
      received.push(one);
      behaviour(one, response, request);
    });
  };
  const server = tls ? createTlsServer({ cert: tls.cert, key: tls.key }, listener) : createServer(listener);
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  server.on("tlsClientError", () => undefined);
  server.listen(givenPort, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    origin: `${tls ? "https" : "http"}://127.0.0.1:${port}`,
    port,
    received,
    behave: (next) => {
      behaviour = next;
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
