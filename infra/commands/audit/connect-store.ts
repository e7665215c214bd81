import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import { findConnectionFile, readConnectionFile } from "../../command-line/connection-file.ts";

/** Without an endpoint it is AWS, with the environment's credentials. */
export const Store = z.object({
  endpoint: z.url().optional(),
  region: z.string(),
  issuingTable: z.string(),
  accountsTable: z.string(),
  /** Closed months of the journal. Without an endpoint: AWS. */
  records: z.object({ endpoint: z.url().optional(), bucket: z.string() }).optional(),
  /** The pepper of API keys. */
  pepper: z.object({ endpoint: z.url().optional(), secretId: z.string() }).optional(),
});
export type Store = z.output<typeof Store>;

/** `npm start` writes a connection file; for AWS it is `{"store": {…}}` with stack outputs. */
export function readStore(connectionFile: string): Store {
  return readConnectionFile(connectionFile, z.object({ store: Store })).store;
}

/** Writes a connection file, `<folder>/<environment>/<name>.json`, and returns its path. */
export function writeStoreFile(folder: string, environment: string, name: string, store: Store): string {
  const file = path.join(folder, environment, `${name}.json`);
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, `${JSON.stringify({ store }, null, 2)}\n`);
  return file;
}

/** Points this process at the store of the given connection file, or of the running platform's. */
export function openStore(given?: string): { readonly file: string; readonly store: Store } {
  const file = findConnectionFile(given);
  const store = readStore(file);
  useStore(store);
  return { file, store };
}

/**
 * Points this process at the store. Call this before importing modules that read the environment.
 */
export function useStore({ endpoint, region, issuingTable, accountsTable, records, pepper }: Store): void {
  Object.assign(process.env, {
    AWS_REGION: region,
    ISSUING_TABLE: issuingTable,
    ACCOUNTS_TABLE: accountsTable,
    LOG_LEVEL: "SILENT",
    ...(records && { RECORDS_BUCKET: records.bucket }),
    ...(records?.endpoint !== undefined && { AWS_ENDPOINT_URL_S3: records.endpoint }),
    ...(pepper?.endpoint !== undefined && { AWS_ENDPOINT_URL_SECRETS_MANAGER: pepper.endpoint }),
    ...(endpoint !== undefined && {
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
    }),
  });
}
