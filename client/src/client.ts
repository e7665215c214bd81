import { Agent } from "node:https";
import createFetchClient, { type Client as FetchClient } from "openapi-fetch";
import { idempotencyKeys } from "./idempotency-keys.ts";
import type { Paths } from "./paths.ts";
import { type RetryOptions, withRetries } from "./retry.ts";
import { send } from "./send.ts";

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
 * Retries reads, deletions and writes with an `Idempotency-Key`: no answer, 429, 500, 502 to 504,
 * and 409 `IDEMPOTENCY_IN_PROGRESS`.
 * Requests that move money or create something get an `Idempotency-Key` if they have none.
 */
export function createClient({
  baseUrl,
  certificate,
  key,
  authority,
  apiKey,
  ...retry
}: ClientOptions): Client {
  // An idle connection is closed before the server does so: a request on it would be lost.
  const agent = new Agent({
    keepAlive: true,
    timeout: 4_000,
    cert: certificate,
    key,
    ...(authority && { ca: authority }),
  });
  const call = withRetries((request) => send(request, agent), retry);
  const pending = new Set<Promise<Response>>();
  const client = createFetchClient<Paths>({
    baseUrl,
    headers: { "X-API-Key": apiKey },
    fetch: (request) => {
      const answer = call(request).finally(() => pending.delete(answer));
      pending.add(answer);
      return answer;
    },
  });
  client.use(idempotencyKeys);
  const close = async () => {
    await Promise.allSettled(pending);
    agent.destroy();
  };
  return Object.assign(client, { close });
}
