import * as z from "zod";
import type { CertificateStatus, CertificateView } from "../../contract/account-access.ts";
import { id, timestamp } from "../../contract/primitives.ts";
import { timestamp as timestampOf } from "../../platform/clock.ts";
import { pick } from "../../platform/pick.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import type { TransitionTable } from "../../platform/table/transition.ts";

/**
 * A registered client certificate, stored under the SHA-256 of its DER, with the platform's own
 * data. Subject and domains are read from the certificate itself.
 */
export const Certificate = z.object({
  certificateId: id("certificate"),
  tenantId: id("tenant"),
  programIds: z.array(id("program")),
  /** It is valid only in the environment where it was registered. */
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

/** The Tenant's own view of it, stored apart: requests do not read it. */
export const TenantCertificate = Certificate.extend({
  domains: z.array(z.string()),
  certificatePem: z.string(),
  /** The CA that signed it; absent if the platform only registered it. */
  authority: z.string().optional(),
});
export type TenantCertificate = z.output<typeof TenantCertificate>;

export const certificates = defineEntity({
  name: "certificate",
  table: "accounts",
  schema: Certificate,
  key: (fingerprint: string) => ({ pk: `CERTIFICATE#${fingerprint}`, sk: "CERTIFICATE" }),
});

export const tenantCertificates = defineEntity({
  name: "certificate of the Tenant",
  table: "accounts",
  schema: TenantCertificate,
  key: (tenantId: string, certificateId: string) => ({ pk: tenantId, sk: `CERTIFICATE#${certificateId}` }),
});

/**
 * - revoke: DELETE /account/certificates/{certificateId}, or platform administration
 * - expire: `notAfter` has come, by the clock
 */
type CertificateTrigger = "revoke" | "expire";

/**
 * Every legal change of a client certificate's status. A certificate is active from its
 * registration.
 */
export const certificateTransitions = [
  { from: "active", trigger: "revoke", to: "revoked" },
  { from: "active", trigger: "expire", to: "expired" },
] as const satisfies TransitionTable<CertificateStatus, CertificateTrigger>;

/** Two consistent reads. */
export async function readTenantCertificate(
  tenantId: string,
  certificateId: string,
): Promise<Certificate | undefined> {
  const shown = await tenantCertificates.at(tenantId, certificateId).get();
  return shown && certificates.at(shown.fingerprint).get();
}

/** The current status. Revoked takes precedence over expired. */
export function getCertificateStatus({ revokedAt, notAfter }: Certificate): CertificateStatus {
  if (revokedAt !== undefined) return "revoked";
  return timestampOf() < notAfter ? "active" : "expired";
}

export function toCertificateView(certificate: TenantCertificate): CertificateView {
  return {
    certificateId: certificate.certificateId,
    status: getCertificateStatus(certificate),
    ...pick(certificate, "programIds", "domains", "serialNumber", "fingerprint", "notAfter"),
    dateCreated: certificate.createdAt,
    ...(certificate.revokedAt && { dateRevoked: certificate.revokedAt }),
  };
}
