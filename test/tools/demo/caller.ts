import { readFileSync } from "node:fs";
import { type Client, createClient } from "../../../client/src/card-issuing.ts";
import type { Connection } from "../../../infra/development/connection.ts";

/** A Program as its own software calls the platform. */
export interface Caller {
  readonly tenantId: string;
  readonly programId: string;
  /** By the Program's key. */
  readonly program: Client;
  /** By the Tenant's, for the account. */
  readonly account: Client;
}

/** A client of one key, over connections with one certificate. */
export function clientOf(
  { baseUrl, ca }: Connection,
  { certificate, key }: { readonly certificate: string; readonly key: string },
  apiKey: string,
): Client {
  return createClient({ baseUrl, certificate, key, authority: readFileSync(ca), apiKey });
}
