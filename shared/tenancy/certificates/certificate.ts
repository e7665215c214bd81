import { GetCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import type { CertificateStatus, CertificateView } from "../../contract/account-certificates.ts";
import { id, timestamp } from "../../contract/primitives.ts";
import { timestamp as timestampOf } from "../../platform/clock.ts";
import { environment } from "../../platform/environment.ts";
import { table } from "../../platform/table/client.ts";
import { accountsKey, type Key } from "../../platform/table/keys.ts";

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

/** Where a Tenant finds a certificate: the fingerprint under which it is stored, and what the Tenant is shown of it. */
const CertificateOf = z.object({
  tenantId: id("tenant"),
  certificateId: id("certificate"),
  fingerprint: z.string(),
});

/** What a Tenant is shown of a certificate beside what decides about a request, and so need not be read with each. */
export const CertificateShown = Certificate.extend({
  domains: z.array(z.string()),
  certificatePem: z.string(),
  /** The CA of the environment that signed it; absent for one that the platform has registered and not signed. */
  authority: z.string().optional(),
});
export type CertificateShown = z.output<typeof CertificateShown>;

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

/** The Tenant's certificate with all that is shown of it; undefined where the Tenant has none by the id. */
export async function readCertificateShown(
  tenantId: string,
  certificateId: string,
): Promise<CertificateShown | undefined> {
  const item = await read(accountsKey.certificateOf(tenantId, certificateId));
  return item && CertificateShown.parse(item);
}

/** What the certificate is by the clock. A revocation outlasts the end of its time. */
export function statusOf({ revokedAt, notAfter }: Certificate): CertificateStatus {
  if (revokedAt !== undefined) return "revoked";
  return timestampOf() < notAfter ? "active" : "expired";
}

/** The certificate as it is answered, and as the audit log keeps it. */
export function toCertificateView(certificate: CertificateShown): CertificateView {
  const { certificateId, programIds, domains, serialNumber, fingerprint, notAfter } = certificate;
  return {
    certificateId,
    status: statusOf(certificate),
    programIds,
    domains,
    serialNumber,
    fingerprint,
    notAfter,
    dateCreated: certificate.createdAt,
    ...(certificate.revokedAt && { dateRevoked: certificate.revokedAt }),
  };
}

async function read(key: Key): Promise<Record<string, unknown> | undefined> {
  const { Item } = await table.send(
    new GetCommand({ TableName: environment.accountsTable, Key: key, ConsistentRead: true }),
  );
  return Item;
}
