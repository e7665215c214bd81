import * as z from "zod";
import { id, listQuery, text, timestamp } from "./primitives.ts";
import { routesOf } from "./route.ts";

/** A Tenant's maximum: every request is checked against all of them. */
export const maximumAllowedRanges = 50;

/** A rotated key works beside its successor for at most 30 days. */
const maximumOverlapSeconds = 30 * 86_400;

export const ApiUserCreate = z.object({ name: text(100) });
export const ApiUserRotate = z.object({
  /** How long the key from before works beside the new one; 0 ends it at once. */
  overlapSeconds: z.int().min(0).max(maximumOverlapSeconds).default(0),
});

export const ApiUserView = z.object({
  apiUserId: id("apiUser"),
  level: z.enum(["program", "tenant"]),
  /** With a Program-level key. */
  programId: id("program").optional(),
  name: z.string(),
  dateCreated: timestamp,
  dateRotated: timestamp.optional(),
  /** Until when the key from before the last rotation works too; absent once it does not. */
  previousKeyExpiresAt: timestamp.optional(),
  dateRevoked: timestamp.optional(),
});
export type ApiUserView = z.output<typeof ApiUserView>;

/** The only answer that ever holds the key. */
export const ApiUserWithKey = ApiUserView.extend({ apiKey: z.string() });

const range = z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()]);

export const AllowedIpCreate = z.object({
  /** An IPv4 or IPv6 range, or a single address. */
  cidr: z
    .string()
    .max(64)
    .refine((value) => range.safeParse(value).success, "must be an IPv4 or IPv6 address, or a range of them"),
  /** Without it the range holds for the whole Tenant. */
  programId: text(64).optional(),
});
export const AllowedIpView = z.object({
  entryId: id("allowedIp"),
  cidr: z.string(),
  programId: id("program").optional(),
  dateCreated: timestamp,
});
export type AllowedIpView = z.output<typeof AllowedIpView>;

const values = z.record(z.string(), z.unknown()).nullable();
export const AuditEntryView = z.object({
  auditId: id("audit"),
  dateCreated: timestamp,
  /** The API user whose key made the change, or `operator:` and the ARN of who gave a command of platform administration. */
  actor: z.string(),
  action: z.string(),
  /** The changed resource. */
  subjectId: z.string(),
  programId: id("program").optional(),
  requestId: z.string(),
  /** Null for what came into being; secrets stand in neither. */
  before: values,
  after: values,
});
export type AuditEntryView = z.output<typeof AuditEntryView>;

const apiUserQuery = listQuery(["apiUserId", "name", "dateCreated"], {});

const route = routesOf({ api: "platform", function: "account", level: "tenant" });

const apiUserRoutes = [
  route("GET /account/api-users", "List the API users with Tenant-level keys", {
    query: apiUserQuery,
    items: ApiUserView,
  }),
  route("POST /account/api-users", "Create an API user with a Tenant-level key", {
    body: ApiUserCreate,
    data: ApiUserWithKey,
  }),
  route("POST /account/api-users/{apiUserId}/rotate", "Replace a Tenant-level key", {
    body: ApiUserRotate,
    data: ApiUserWithKey,
    errors: ["ILLEGAL_TRANSITION"],
  }),
  route("DELETE /account/api-users/{apiUserId}", "Revoke a Tenant-level key", { data: ApiUserView }),
  route("GET /account/programs/{programId}/api-users", "List the API users with keys of a Program", {
    query: apiUserQuery,
    items: ApiUserView,
  }),
  route("POST /account/programs/{programId}/api-users", "Create an API user with a key of a Program", {
    body: ApiUserCreate,
    data: ApiUserWithKey,
  }),
  route("POST /account/programs/{programId}/api-users/{apiUserId}/rotate", "Replace a key of a Program", {
    body: ApiUserRotate,
    data: ApiUserWithKey,
    errors: ["ILLEGAL_TRANSITION"],
  }),
  route("DELETE /account/programs/{programId}/api-users/{apiUserId}", "Revoke a key of a Program", {
    data: ApiUserView,
  }),
];

export const accountAccessRoutes = [
  ...apiUserRoutes,
  route("GET /account/ip-allowlist", "List the ranges of addresses that may call", {
    query: listQuery(["entryId", "cidr", "dateCreated"], {}),
    items: AllowedIpView,
  }),
  route("POST /account/ip-allowlist", "Allow a range of addresses for the Tenant, or for a Program", {
    body: AllowedIpCreate,
    data: AllowedIpView,
    errors: ["NOT_FOUND", "LIMIT_REACHED"],
  }),
  route("DELETE /account/ip-allowlist/{entryId}", "Allow a range of addresses no longer", {
    data: AllowedIpView,
  }),
  route("GET /account/audit-log", "List who changed what, and when", {
    query: listQuery(["auditId", "dateCreated"], {
      programId: text(64).optional(),
      actor: text(64).optional(),
      action: text(64).optional(),
    }),
    items: AuditEntryView,
  }),
];

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

const certificateRoute = routesOf({ api: "platform", function: "certificates", level: "tenant" });

export const accountCertificateRoutes = [
  certificateRoute("GET /account/certificates", "List client certificates", {
    query: listQuery(["certificateId", "notAfter", "dateCreated"], { status: certificateStatus.optional() }),
    items: CertificateView,
  }),
  certificateRoute(
    "POST /account/certificates",
    "Have a client certificate signed, from a certificate signing request",
    { body: CertificateCreate, data: CertificateDetail, errors: ["LIMIT_REACHED"] },
  ),
  certificateRoute("GET /account/certificates/{certificateId}", "View a client certificate", {
    data: CertificateDetail,
  }),
  certificateRoute("DELETE /account/certificates/{certificateId}", "Revoke a client certificate", {
    data: CertificateView,
    errors: ["ILLEGAL_TRANSITION"],
  }),
];
