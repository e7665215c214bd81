import { chmodSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { CallingTenant } from "./first-tenant.ts";

export interface ConnectionFileOptions {
  readonly directory: string;
  readonly region: string;
  readonly urls: { readonly baseUrl: string; readonly sandboxUrl: string | undefined };
  readonly tables: { readonly issuingTable: string; readonly accountsTable: string };
  readonly tenant: CallingTenant;
}

/**
 * Writes what a caller needs, as the smoke test and the audit read it: `connection.json` and, beside it, the certificate and its key. All of it is
 * readable by its owner alone. Answers the file's name.
 */
export function writeConnectionFile({
  directory,
  region,
  urls,
  tables,
  tenant,
}: ConnectionFileOptions): string {
  const folder = path.resolve(directory);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const inside = (name: string) => path.join(folder, name);
  const [cert, key, file] = [inside("client.pem"), inside("client.key"), inside("connection.json")];
  const { tenantId, programId, walletId, programApiKey, tenantApiKey, certificate } = tenant;
  const keys = { programApiKey, tenantApiKey, tenantId, programId, walletId };
  const connection = { ...urls, cert, key, ...keys, store: { region, ...tables } };
  write(key, certificate.keyPem);
  write(cert, certificate.certificatePem);
  write(file, `${JSON.stringify(connection, null, 2)}\n`);
  return file;
}

/** Whole or not at all. */
function write(file: string, text: string): void {
  writeFileSync(`${file}.new`, text, { mode: 0o600 });
  chmodSync(`${file}.new`, 0o600);
  renameSync(`${file}.new`, file);
}
