import { GetCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { id, timestamp } from "../contract/primitives.ts";
import { environment } from "../environment.ts";
import { table } from "../table/client.ts";
import { accountsKey, type Key } from "../table/keys.ts";

/**
 * A registered client certificate, stored under the SHA-256 of its DER. What it says of itself is read from the
 * certificate; what stands here is what the platform says of it.
 */
export const Certificate = z.object({
  certificateId: id("certificate"),
  tenantId: id("tenant"),
  programIds: z.array(id("program")),
  /** The environment that it was registered in; it opens no other. */
  environment: z.string(),
  fingerprint: z.string(),
  serialNumber: z.string(),
  notAfter: timestamp,
  createdAt: timestamp,
  createdBy: z.string(),
  revokedAt: timestamp.optional(),
  revokedBy: z.string().optional(),
});
export type Certificate = z.output<typeof Certificate>;

/** Where a Tenant finds its certificates: the fingerprint under which the certificate is stored. */
export const CertificateOf = z.object({
  tenantId: id("tenant"),
  certificateId: id("certificate"),
  fingerprint: z.string(),
});
export type CertificateOf = z.output<typeof CertificateOf>;

/** The certificate by the fingerprint of what is presented; undefined where none is registered. One consistent read. */
export async function readCertificate(fingerprint: string): Promise<Certificate | undefined> {
  const item = await read(accountsKey.certificate(fingerprint));
  return item && Certificate.parse(item);
}

/** The Tenant's certificate by its id; undefined where the Tenant has none by it. Two consistent reads. */
export async function readCertificateOf(
  tenantId: string,
  certificateId: string,
): Promise<Certificate | undefined> {
  const pointer = await read(accountsKey.certificateOf(tenantId, certificateId));
  return pointer && readCertificate(CertificateOf.parse(pointer).fingerprint);
}

async function read(key: Key): Promise<Record<string, unknown> | undefined> {
  const { Item } = await table.send(
    new GetCommand({ TableName: environment.accountsTable, Key: key, ConsistentRead: true }),
  );
  return Item;
}
