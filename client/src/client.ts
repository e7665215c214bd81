import createFetchClient, { type Client as FetchClient } from "openapi-fetch";
import { Agent, fetch as send } from "undici";
import { idempotencyKeys } from "./idempotency-keys.ts";
import type { Paths } from "./paths.ts";
import { type RetryOptions, retried } from "./retry.ts";

export interface ClientOptions extends RetryOptions {
  /** Up to and with `/v2`. */
  readonly baseUrl: string;
  /** The client certificate and its private key, in PEM. */
  readonly certificate: string | Buffer;
  readonly key: string | Buffer;
  /** The authority of the server's certificate, in PEM, where the system does not know it: that of a laptop's platform. */
  readonly authority?: string | Buffer;
  /** Program-level, or Tenant-level for `/account`. */
  readonly apiKey: string;
}

/** Methods by HTTP verb, each typed by the path it is called with, as openapi-fetch has them. */
export interface Client extends FetchClient<Paths> {
  /** Ends the connections once their requests are answered. */
  readonly close: () => Promise<void>;
}

/**
 * A client of one credential. Sends what may be sent twice again after a broken connection, a 429 or a 5xx: reads, deletions, and every write
 * with an `Idempotency-Key`, which writes that move money get by themselves.
 */
export function createClient({
  baseUrl,
  certificate,
  key,
  authority,
  apiKey,
  ...retry
}: ClientOptions): Client {
  const dispatcher = new Agent({ connect: { cert: certificate, key, ...(authority && { ca: authority }) } });
  const client = createFetchClient<Paths>({
    baseUrl,
    headers: { "X-API-Key": apiKey },
    fetch: retried((request) => sendOnce(request, dispatcher), retry),
  });
  client.use(idempotencyKeys);
  return Object.assign(client, { close: () => dispatcher.close() });
}

async function sendOnce(request: Request, dispatcher: Agent): Promise<Response> {
  const { method, url, headers } = request;
  const body = method === "GET" ? undefined : await request.clone().text();
  const answer = await send(url, {
    method,
    headers: [...headers],
    dispatcher,
    ...(body && { body }),
  });
  return answer as unknown as Response;
}
