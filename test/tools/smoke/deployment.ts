import { readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import type { z } from "zod";
import { type Client, createClient } from "../../../client/src/card-issuing.ts";
import { ApiConnection } from "../../../infra/command-line/connection.ts";

/** Without a `sandboxUrl`, nothing is written. */
export const SmokeConnection = ApiConnection.required({ tenantApiKey: true });
export type SmokeConnection = z.output<typeof SmokeConnection>;

export interface Credentials {
  readonly certificate: string;
  readonly key: string;
}

export interface RawAnswer {
  readonly status: number;
  readonly requestId: string | undefined;
  readonly body: { readonly status?: string; readonly code?: string; readonly requestId?: string };
}

/** A deployed platform as its callers see it. */
export class Deployment {
  readonly connection: SmokeConnection;
  readonly #authority: string | undefined;
  readonly #own: Credentials;

  constructor(connection: SmokeConnection) {
    this.connection = connection;
    this.#authority = connection.ca === undefined ? undefined : readFileSync(connection.ca, "utf8");
    this.#own = {
      certificate: readFileSync(connection.cert, "utf8"),
      key: readFileSync(connection.key, "utf8"),
    };
  }

  /** A client with the deployment's own credentials. */
  client(apiKey = this.connection.programApiKey): Client {
    const { baseUrl } = this.connection;
    const authority = this.#authority;
    return createClient({ baseUrl, ...this.#own, apiKey, ...(authority !== undefined && { authority }) });
  }

  /**
   * One request as it is, on a connection of its own.
   *
   * @throws Error where the connection ends before there is an HTTP answer
   */
  raw(
    line: string,
    headers: Readonly<Record<string, string>> = {},
    options: { readonly credentials?: Credentials | "none"; readonly body?: string } = {},
  ): Promise<RawAnswer> {
    const [method = "GET", path = "/"] = line.split(" ");
    const { credentials = this.#own, body } = options;
    const settings = {
      method,
      headers,
      agent: false as const,
      ca: this.#authority,
      ...(credentials !== "none" && { cert: credentials.certificate, key: credentials.key }),
    };
    return new Promise((resolve, reject) => {
      const outgoing = request(this.connection.baseUrl + path, settings, (incoming) => {
        readAnswer(incoming).then(resolve, reject);
      });
      outgoing.on("error", reject);
      outgoing.end(body);
    });
  }
}

async function readAnswer(incoming: IncomingMessage): Promise<RawAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return {
    status: incoming.statusCode ?? 0,
    requestId: incoming.headers["x-request-id"] as string | undefined,
    body: JSON.parse(Buffer.concat(chunks).toString()) as RawAnswer["body"],
  };
}
