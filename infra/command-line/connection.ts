import { z } from "zod";
import { findConnectionFile, readConnectionFile } from "./connection-file.ts";

/** What a client needs to call the local platform. Paths are absolute. */
export const Connection = z.object({
  /** Up to and with `/v2`. */
  baseUrl: z.url(),
  /** A deployed environment's sandbox has a host of its own; production has none. */
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
  /** PEM files: the client's certificate and key. */
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

/** The running platform's. @throws CannotRun if none runs */
export function readConnection(): Connection {
  return readConnectionFile(findConnectionFile(), Connection);
}

/** What calls the API: of `.local/connection.json`, or of a file for a deployed environment. */
export const ApiConnection = Connection.pick({
  ...{ baseUrl: true, sandboxUrl: true, cert: true, key: true, ca: true },
  ...{ programApiKey: true, tenantApiKey: true },
}).partial({ sandboxUrl: true, ca: true, tenantApiKey: true });
export type ApiConnection = z.output<typeof ApiConnection>;

/** The SDK's clients require credentials; the local engines accept any. */
export const localCredentials = { accessKeyId: "local", secretAccessKey: "local" };
