import { readFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { Agent, type RequestOptions, request } from "node:https";
import type { Connection } from "../../infra/development/connection.ts";
import type { CertifiedKey } from "../../infra/development/issue-certificate.ts";

export interface TlsRequest {
  readonly method?: string;
  /** Below the base path: `/wallets`. */
  readonly path: string;
  readonly base?: "baseUrl" | "sandboxUrl";
  /** The address to call from, which is what the platform sees. */
  readonly from?: string;
  /** The client's certificate: by default the demo client's. */
  readonly client?: CertifiedKey | "none";
  readonly headers?: Record<string, string | string[]>;
  readonly body?: unknown;
  /** Default: a new connection for each request. */
  readonly agent?: Agent;
}

export interface TlsAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Whether it came on the connection of an earlier request. */
  readonly reusedConnection: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: JSON, which each test checks.
  readonly body: any;
}

/**
 * One request over mutual TLS, as any client would make it.
 *
 * @throws the socket's error where the connection ends before there is an HTTP response.
 */
export function send(connection: Connection, options: TlsRequest): Promise<TlsAnswer> {
  const { method = "GET", base = "baseUrl", from = "127.0.0.1", headers = {}, body } = options;
  const url = new URL(connection[base] + options.path);
  const settings: RequestOptions = {
    method,
    // By address, so that the client's own address decides the family.
    host: from.includes(":") ? "::1" : "127.0.0.1",
    port: url.port,
    path: url.pathname + url.search,
    servername: url.hostname,
    localAddress: from,
    ca: readFileSync(connection.ca),
    ...clientOf(connection, options.client),
    agent: options.agent ?? new Agent({ keepAlive: false, maxCachedSessions: 0 }),
    headers: {
      host: url.host,
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(settings, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("error", reject);
      incoming.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          reusedConnection: outgoing.reusedSocket,
          body: JSON.parse(text),
        });
      });
    });
    outgoing.on("error", reject);
    outgoing.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

function clientOf(connection: Connection, client: TlsRequest["client"]): { cert?: Buffer; key?: Buffer } {
  if (client === "none") return {};
  if (client === undefined) return { cert: readFileSync(connection.cert), key: readFileSync(connection.key) };
  return { cert: Buffer.from(client.certificatePem), key: Buffer.from(client.keyPem) };
}
