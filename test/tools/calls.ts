import { readFileSync } from "node:fs";
import { type Client, createClient, type Paths, unwrap } from "../../client/src/card-issuing.ts";
import type { Connection } from "../../infra/development/connection.ts";

/** An operation, as `GET /cards/{cardId}`. */
type Endpoint = { [P in keyof Paths]: `${Uppercase<keyof Paths[P] & string>} ${P}` }[keyof Paths];

type Operation<E extends Endpoint> = E extends `${infer M} ${infer P extends keyof Paths}`
  ? Paths[P][Lowercase<M> & keyof Paths[P]]
  : never;

type Path<E extends Endpoint> = Operation<E> extends { parameters: { path: infer P } } ? P : object;

/** The query of a read, and the body of what writes. */
type Rest<E extends Endpoint> = E extends `GET ${string}`
  ? Operation<E> extends { parameters: { query?: infer Q } }
    ? Q
    : never
  : Operation<E> extends { requestBody?: { content: { "application/json": infer B } } }
    ? B
    : never;

/** A record, or a list's page. */
type Answer<E extends Endpoint> =
  Operation<E> extends { responses: { 200: { content: { "application/json": infer A } } } }
    ? A extends { data: infer D }
      ? D
      : A
    : never;

/**
 * Calls an operation: `call("POST /wallets", {}, { name: "Travel" })`. `key`: its Idempotency-Key.
 * @throws RequestRejectedError with the error's body
 */
export type Call = <E extends Endpoint>(
  endpoint: E,
  path?: Path<E>,
  rest?: Rest<E>,
  key?: string,
) => Promise<Answer<E>>;

/** Each failure counts. */
export function clientWithoutRetries({ baseUrl, ca, cert, key, programApiKey }: Connection): Client {
  const [authority, certificate, ownKey] = [readFileSync(ca), readFileSync(cert), readFileSync(key)];
  return createClient({ baseUrl, authority, certificate, key: ownKey, apiKey: programApiKey, attempts: 1 });
}

export function callsOf(client: Client): Call {
  return async (endpoint, path, rest, key) => {
    const [method = "", place = ""] = endpoint.split(" ");
    const header = key === undefined ? {} : { "Idempotency-Key": key };
    const isRead = method === "GET";
    const params = { path, header, ...(isRead && { query: rest }) };
    const request = client[method as "GET"] as (place: string, options: object) => Promise<Answered>;
    const answer = await unwrap(request(place, { params, ...(!isRead && { body: rest }) }));
    return "data" in answer ? answer.data : answer;
  };
}

// biome-ignore lint/suspicious/noExplicitAny: typed by the endpoint.
type Answered = { data?: any; error?: unknown; response: Response };
