import createFetchClient, { type Client as FetchClient } from "openapi-fetch";
import { Agent, fetch as send } from "undici";
import { idempotencyKeys } from "./idempotency-keys.ts";
import type { Paths } from "./paths.ts";
import { type RetryOptions, withRetries } from "./retry.ts";

export interface ClientOptions extends RetryOptions {
  /** Including `/v2`. */
  readonly baseUrl: string;
  /** The client certificate and its private key, in PEM. */
  readonly certificate: string | Buffer;
  readonly key: string | Buffer;
  /** The CA of the server's certificate, in PEM, if the system does not know it, as on a laptop. */
  readonly authority?: string | Buffer;
  /** A Program's key, or a Tenant's key for `/account`. */
  readonly apiKey: string;
}

/** openapi-fetch's client: a method for each HTTP verb, typed by path. */
export interface Client extends FetchClient<Paths> {
  /** Closes the connections after the last answer. */
  readonly close: () => Promise<void>;
}

/**
 * Retries reads, deletions and writes with an `Idempotency-Key`: no answer, 429, 500, 502 to 504.
 * Requests that move money get an `Idempotency-Key` if they have none.
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
    fetch: withRetries((request) => sendOnce(request, dispatcher), retry),
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
