import * as z from "zod";
import { id, listQuery, timestamp } from "./primitives.ts";
import { routesOf } from "./route.ts";

/** Maximum active certificates for the same Programs: the one in use and its successor. */
export const maximumActiveCertificates = 2;

export const certificateDays = 90;

export const certificateStatus = z.enum(["active", "revoked", "expired"]);
export type CertificateStatus = z.output<typeof certificateStatus>;

export const CertificateCreate = z.object({
  /** A PKCS#10 request in PEM: O is the Tenant's id, each OU one of its Programs', the subject alternative names are the caller's domains. */
  csr: z.string().min(1).max(16_384),
});

export const CertificateView = z.object({
  certificateId: id("certificate"),
  status: certificateStatus,
  /** The Programs whose keys it is good for; with none, Tenant-level keys alone. */
  programIds: z.array(id("program")),
  domains: z.array(z.string()),
  /** Hexadecimal, in lower case. */
  serialNumber: z.string(),
  /** SHA-256 of the certificate's DER, hexadecimal, in lower case. */
  fingerprint: z.string(),
  notAfter: timestamp,
  dateCreated: timestamp,
  dateRevoked: timestamp.optional(),
});
export type CertificateView = z.output<typeof CertificateView>;

/** With the certificate itself, in PEM. */
export const CertificateDetail = CertificateView.extend({ certificate: z.string() });
export type CertificateDetail = z.output<typeof CertificateDetail>;

const route = routesOf({ api: "platform", function: "certificates", level: "tenant" });

export const accountCertificateRoutes = [
  route("GET /account/certificates", "List client certificates", {
    query: listQuery(
      ["certificateId", "notAfter", "dateCreated"],
      { orderBy: "dateCreated", sort: "desc" },
      { status: certificateStatus.optional() },
    ),
    items: CertificateView,
  }),
  route(
    "POST /account/certificates",
    "Have a client certificate signed, from a certificate signing request",
    { body: CertificateCreate, data: CertificateDetail, errors: ["LIMIT_REACHED"] },
  ),
  route("GET /account/certificates/{certificateId}", "View a client certificate", {
    data: CertificateDetail,
    errors: ["NOT_FOUND"],
  }),
  route("DELETE /account/certificates/{certificateId}", "Revoke a client certificate", {
    data: CertificateView,
    errors: ["NOT_FOUND", "ILLEGAL_TRANSITION"],
  }),
];
