import * as z from "zod";
import { id, listQuery, timestamp } from "./primitives.ts";
import { route } from "./route.ts";

/** Certificates for the same Programs that may be active at once: the one in use, and the one that takes its place. */
export const maximumActiveCertificates = 2;

/** For how long a certificate is signed. */
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

const common = { api: "platform", function: "certificates", level: "tenant" } as const;

export const accountCertificateRoutes = [
  route({
    ...common,
    method: "GET",
    path: "/account/certificates",
    summary: "List client certificates",
    answer: "list",
    query: listQuery(
      ["certificateId", "notAfter", "dateCreated"],
      { orderBy: "dateCreated", sort: "desc" },
      { status: certificateStatus.optional() },
    ),
    response: CertificateView,
    errors: [],
  }),
  route({
    ...common,
    method: "POST",
    path: "/account/certificates",
    summary: "Have a client certificate signed, from a certificate signing request",
    answer: "detail",
    body: CertificateCreate,
    response: CertificateDetail,
    errors: ["LIMIT_REACHED"],
  }),
  route({
    ...common,
    method: "GET",
    path: "/account/certificates/{certificateId}",
    summary: "View a client certificate",
    answer: "detail",
    response: CertificateDetail,
    errors: ["NOT_FOUND"],
  }),
  route({
    ...common,
    method: "DELETE",
    path: "/account/certificates/{certificateId}",
    summary: "Revoke a client certificate",
    answer: "detail",
    response: CertificateView,
    errors: ["NOT_FOUND", "ILLEGAL_TRANSITION"],
  }),
];
