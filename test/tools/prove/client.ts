import { readFileSync } from "node:fs";
import { Agent, request } from "undici";
import type { Connection } from "../../../infra/development/connection.ts";

/** What a call answered: `data` of one record, or a list's `items`. */
export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  // biome-ignore lint/suspicious/noExplicitAny: a JSON body, which each proof compares.
  readonly body: any;
}

/** A client without retries: the proof must not depend on them. */
export class Client {
  readonly #connection: Connection;
  readonly #dispatcher: Agent;

  constructor(connection: Connection) {
    const { ca, cert, key } = connection;
    this.#connection = connection;
    this.#dispatcher = new Agent({
      connect: { ca: readFileSync(ca), cert: readFileSync(cert), key: readFileSync(key) },
    });
  }

  /**
   * Calls `METHOD /path`, below `/sandbox` on the sandbox, below `/account` with the Tenant's key.
   *
   * @throws Error with the answer in it when it is no success: the story would not be true.
   */
  async call(endpoint: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
    const [method = "GET", path = "/"] = endpoint.split(" ");
    const { programApiKey, tenantApiKey } = this.#connection;
    const {
      statusCode,
      headers: answered,
      body: stream,
    } = await request(this.#urlOf(path), {
      dispatcher: this.#dispatcher,
      method: method as "GET" | "POST" | "PUT" | "DELETE",
      headers: {
        "X-API-Key": path.startsWith("/account/") ? tenantApiKey : programApiKey,
        ...(body && { "Content-Type": "application/json" }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = { status: statusCode, headers: answered, body: await stream.json() } as Answer;
    if (statusCode !== 200)
      throw new Error(`${endpoint} answered ${statusCode}: ${JSON.stringify(answer.body)}`);
    return answer;
  }

  #urlOf(path: string): string {
    const { baseUrl, sandboxUrl } = this.#connection;
    return path.startsWith("/sandbox/") ? sandboxUrl + path.slice("/sandbox".length) : baseUrl + path;
  }

  close(): Promise<void> {
    return this.#dispatcher.close();
  }
}
