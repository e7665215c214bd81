import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { writeWholeFile } from "../local/files.ts";

/** What a client needs to call the local platform. Paths are absolute. */
export const Connection = z.object({
  baseUrl: z.url(),
  sandboxUrl: z.url(),
  controlUrl: z.url(),
  /** The page for those who operate it. */
  consoleUrl: z.url(),
  /** Where connected parties send webhooks: plain HTTP, without a client certificate. */
  webhookBaseUrl: z.url(),
  /** Invokes the operator function: `POST {command, input}` in Lambda's protocol. */
  operatorUrl: z.url(),
  /** Queue of the processor's events, in SQS's protocol. */
  processorQueueUrl: z.url(),
  /** Queue of what waits for somebody outside, in SQS's protocol. */
  outsideQueueUrl: z.url(),
  /** Where files are put, in S3's protocol. */
  files: z.object({ endpoint: z.url(), bucket: z.string() }),
  receivers: z.array(z.string()),
  store: z.object({
    endpoint: z.url(),
    region: z.string(),
    issuingTable: z.string(),
    accountsTable: z.string(),
    /** Where closed months of the journal are, in S3's protocol. */
    records: z.object({ endpoint: z.url(), bucket: z.string() }).optional(),
    pepper: z.object({ endpoint: z.url(), secretId: z.string() }).optional(),
  }),
  /** The development CA's certificate. */
  ca: z.string(),
  /** All client CAs: the environment's own and the development CA. */
  truststore: z.string(),
  cert: z.string(),
  key: z.string(),
  /** The development CA's key, for tests that issue certificates. Exists only locally. */
  clientCaKey: z.string(),
  /** How the network's listener and the card network know each other. */
  network: z.object({
    server: z.object({ cert: z.string(), key: z.string() }),
    client: z.object({ name: z.string(), cert: z.string(), key: z.string() }),
  }),
  programApiKey: z.string(),
  tenantApiKey: z.string(),
  tenantId: z.string(),
  programId: z.string(),
  walletId: z.string(),
  /** IBAN on which the bank collects the demo Program's deposits. */
  bankAccount: z.string(),
});
export type Connection = z.output<typeof Connection>;

export function readConnection(directory: string): Connection | undefined {
  const content = readContent(directory);
  return content === undefined ? undefined : Connection.parse(content);
}

function readContent(directory: string): unknown {
  const file = connectionFile(directory);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

const Demo = Connection.pick({
  tenantId: true,
  programId: true,
  walletId: true,
  programApiKey: true,
  tenantApiKey: true,
}).extend({ bankAccount: z.string().optional() });
export type Demo = z.output<typeof Demo>;

/** Reads what a start reuses. Another version of the platform may have written the file. */
export function readDemo(directory: string): Demo | undefined {
  return Demo.safeParse(readContent(directory)).data;
}

/** The port of the last start. */
export function readWebhookPort(directory: string): number | undefined {
  const { data } = Connection.pick({ webhookBaseUrl: true }).safeParse(readContent(directory));
  return data && Number(new URL(data.webhookBaseUrl).port);
}

/** Writes the file whole or not at all, readable only by its owner. */
export function writeConnection(directory: string, connection: Connection): void {
  writeWholeFile(connectionFile(directory), `${JSON.stringify(connection, null, 2)}\n`, 0o600);
}

export function connectionFile(directory: string): string {
  return join(directory, "connection.json");
}
