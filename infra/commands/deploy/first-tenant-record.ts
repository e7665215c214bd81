import { mkdirSync } from "node:fs";
import path from "node:path";
import { GetParameterCommand, ParameterNotFound, PutParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import * as z from "zod";
import { writeWholeFile } from "../../command-line/connection-file.ts";
import { unlessMissing } from "../unless-missing.ts";

/** The environment's first Tenant, as far as it exists. Its keys are secrets. */
export const FirstTenant = z.object({
  tenantId: z.string(),
  tenantApiKey: z.string(),
  programId: z.string().optional(),
  walletId: z.string().optional(),
  isDesignApproved: z.boolean().optional(),
  programApiKey: z.string().optional(),
  certificate: z
    .object({ certificateId: z.string(), certificatePem: z.string(), keyPem: z.string() })
    .optional(),
  /** Replaced certificates that are not revoked yet. */
  superseded: z.array(z.string()).optional(),
});
export type FirstTenant = z.output<typeof FirstTenant>;

/** A Tenant that can call the API: with a Program, keys of both levels and a certificate. */
export const CallingTenant = FirstTenant.omit({ isDesignApproved: true, superseded: true }).required();
export type CallingTenant = z.output<typeof CallingTenant>;

/** Stores the Tenant's state, so that a repeated command can continue, also on another machine. */
export interface FirstTenantRecord {
  read(): Promise<FirstTenant | undefined>;
  write(tenant: FirstTenant): Promise<void>;
}

export function recordInParameterStore(
  environment: string,
  region: string,
  keyArn: string,
): FirstTenantRecord {
  const ssm = new SSMClient({ region });
  const Name = `/card-issuing/${environment}/first-tenant`;
  return {
    async read() {
      const asked = ssm.send(new GetParameterCommand({ Name, WithDecryption: true }));
      const answer = await unlessMissing(asked, ParameterNotFound);
      const text = answer?.Parameter?.Value;
      return text === undefined ? undefined : FirstTenant.parse(JSON.parse(text));
    },
    async write(tenant) {
      const Value = JSON.stringify(tenant);
      await ssm.send(
        new PutParameterCommand({ Name, Value, Type: "SecureString", KeyId: keyArn, Overwrite: true }),
      );
    },
  };
}

interface ConnectionFileOptions {
  readonly directory: string;
  readonly region: string;
  readonly urls: { readonly baseUrl: string; readonly sandboxUrl: string | undefined };
  readonly tables: { readonly issuingTable: string; readonly accountsTable: string };
  readonly recordsBucket: string;
  /** The secret that has it. */
  readonly pepper: string;
  readonly tenant: CallingTenant;
}

/**
 * The smoke test and the audit read it. Only the owner can read the files. Returns the file's name.
 */
export function writeConnectionFile(options: ConnectionFileOptions): string {
  const { directory, region, urls, tables, recordsBucket, pepper, tenant } = options;
  const folder = path.resolve(directory);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const inside = (name: string) => path.join(folder, name);
  const [cert, key, file] = [inside("client.pem"), inside("client.key"), inside("connection.json")];
  const { tenantId, programId, walletId, programApiKey, tenantApiKey, certificate } = tenant;
  const keys = { programApiKey, tenantApiKey, tenantId, programId, walletId };
  const connection = {
    ...urls,
    cert,
    key,
    ...keys,
    store: { region, ...tables, records: { bucket: recordsBucket }, pepper: { secretId: pepper } },
  };
  writeWholeFile(key, certificate.keyPem);
  writeWholeFile(cert, certificate.certificatePem);
  writeWholeFile(file, `${JSON.stringify(connection, null, 2)}\n`);
  return file;
}
