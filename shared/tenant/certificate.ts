import * as z from "zod";
import { id, timestamp } from "../contract/primitives.ts";

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
