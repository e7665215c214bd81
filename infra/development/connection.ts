import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { writeWholeFile } from "../local/files.ts";

/** What a client needs to call the platform that runs on this machine. Paths are absolute. */
export const Connection = z.object({
  baseUrl: z.url(),
  sandboxUrl: z.url(),
  controlUrl: z.url(),
  /** Where the operator function is invoked: `POST {command, input}`, over Lambda's own protocol. */
  operatorUrl: z.url(),
  /** The queue that takes the processor's events, over SQS's own protocol. */
  processorQueueUrl: z.url(),
  /** Origins on this machine to which callbacks may go. */
  receivers: z.array(z.string()),
  /** Where the tables are, for the audit. */
  store: z.object({
    endpoint: z.url(),
    region: z.string(),
    issuingTable: z.string(),
    accountsTable: z.string(),
  }),
  /** The development CA: it signs the server's certificate, the demo client's, and whatever a test makes with its key. */
  ca: z.string(),
  /** All CAs of clients: the environment's own, which sign what Tenants ask for, and the development CA. */
  truststore: z.string(),
  cert: z.string(),
  key: z.string(),
  /** The development CA's key, with which a test makes certificates of its own. There is no such file anywhere but here. */
  clientCaKey: z.string(),
  programApiKey: z.string(),
  tenantApiKey: z.string(),
  tenantId: z.string(),
  programId: z.string(),
  walletId: z.string(),
});
export type Connection = z.output<typeof Connection>;

/** The connection that the last run in this directory left; undefined when none got so far. */
export function readConnection(directory: string): Connection | undefined {
  const file = connectionFile(directory);
  return existsSync(file) ? Connection.parse(JSON.parse(readFileSync(file, "utf8"))) : undefined;
}

/** Who calls: the demo Tenant, its Program, the Program's Wallet and the keys of both levels. */
const Demo = Connection.pick({
  tenantId: true,
  programId: true,
  walletId: true,
  programApiKey: true,
  tenantApiKey: true,
});
export type Demo = z.output<typeof Demo>;

/** What a start reuses of the last run's connection, which another version of the platform may have written. */
export function readDemo(directory: string): Demo | undefined {
  const file = connectionFile(directory);
  return existsSync(file) ? Demo.safeParse(JSON.parse(readFileSync(file, "utf8"))).data : undefined;
}

/** Writes the connection for its owner alone, whole or not at all. */
export function writeConnection(directory: string, connection: Connection): void {
  writeWholeFile(connectionFile(directory), `${JSON.stringify(connection, null, 2)}\n`, 0o600);
}

export function connectionFile(directory: string): string {
  return join(directory, "connection.json");
}
