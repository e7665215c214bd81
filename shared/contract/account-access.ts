import * as z from "zod";
import { id, listQuery, prose, text, timestamp } from "./primitives.ts";
import { operationsFitRole, roleFields, roleView } from "./roles.ts";
import { routesWith } from "./route.ts";

/** Every request is checked against all ranges of its Tenant. */
export const maximumAllowedRanges = 50;

const maximumOverlapSeconds = 30 * 86_400;

/** Without a `role`, the key may do everything. */
export const ApiUserCreate = z.object({ name: prose(100), ...roleFields }).refine(...operationsFitRole);
/** Omitted fields stay unchanged. */
export const ApiUserUpdate = z
  .object({ name: prose(100).optional(), ...roleFields })
  .refine(...operationsFitRole);
export const ApiUserRotate = z.object({
  /** How many seconds the replaced key stays valid. 0 revokes it at once. */
  overlapSeconds: z.int().min(0).max(maximumOverlapSeconds).default(0),
});

export const ApiUserView = z.object({
  apiUserId: id("apiUser"),
  level: z.enum(["program", "tenant"]),
  /** Only Program-level keys have it. */
  programId: id("program").optional(),
  name: z.string(),
  ...roleView,
  dateCreated: timestamp,
  dateRotated: timestamp.optional(),
  /** When the replaced key expires. Absent once it has expired. */
  previousKeyExpiresAt: timestamp.optional(),
  dateRevoked: timestamp.optional(),
});
export type ApiUserView = z.output<typeof ApiUserView>;

/** The key is returned only once, in this answer. */
export const ApiUserWithKey = ApiUserView.extend({ apiKey: z.string() });

const range = z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()]);

export const AllowedIpCreate = z.object({
  /** An IPv4 or IPv6 range, or a single address. */
  cidr: z
    .string()
    .max(64)
    .refine((value) => range.safeParse(value).success, "must be an IPv4 or IPv6 address, or a range of them"),
  /** Without it, the range applies to the whole Tenant. */
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
  /** The API user that made the change, or `operator:` and the ARN of the operator. */
  actor: z.string(),
  action: z.string(),
  /** The id of the changed resource. */
  subjectId: z.string(),
  programId: id("program").optional(),
  requestId: z.string(),
  /** The resource before the change, without secrets. Null if the change created it. */
  before: values,
  after: values,
});
export type AuditEntryView = z.output<typeof AuditEntryView>;

const apiUserQuery = listQuery(["apiUserId", "name", "dateCreated"], {});

const route = routesWith({ api: "platform", function: "account", level: "tenant" });

const keyRoute = routesWith({ api: "platform", function: "account", level: "tenant", changesKeys: true });

const apiUserRoutes = [
  route("GET /account/api-users", "read listTenantApiUsers", "List the API users with Tenant-level keys", {
    query: apiUserQuery,
    items: ApiUserView,
  }),
  keyRoute(
    "POST /account/api-users",
    "write createTenantApiUser",
    "Create an API user with a Tenant-level key",
    { creates: "apiUserId", body: ApiUserCreate, data: ApiUserWithKey },
  ),
  keyRoute(
    "PUT /account/api-users/{apiUserId}",
    "write updateTenantApiUser",
    "Change the name or the role of an API user with Tenant-level keys",
    { body: ApiUserUpdate, data: ApiUserView, errors: ["ILLEGAL_TRANSITION"] },
  ),
  keyRoute(
    "POST /account/api-users/{apiUserId}/rotate",
    "write rotateTenantApiUser",
    "Rotate a Tenant-level key",
    { body: ApiUserRotate, data: ApiUserWithKey, errors: ["ILLEGAL_TRANSITION"] },
  ),
  keyRoute(
    "DELETE /account/api-users/{apiUserId}",
    "write revokeTenantApiUser",
    "Revoke a Tenant-level key",
    { data: ApiUserView },
  ),
  route(
    "GET /account/programs/{programId}/api-users",
    "read listProgramApiUsers",
    "List a Program's API users",
    { query: apiUserQuery, items: ApiUserView },
  ),
  keyRoute(
    "POST /account/programs/{programId}/api-users",
    "write createProgramApiUser",
    "Create an API user with a Program-level key",
    { creates: "apiUserId", body: ApiUserCreate, data: ApiUserWithKey },
  ),
  keyRoute(
    "PUT /account/programs/{programId}/api-users/{apiUserId}",
    "write updateProgramApiUser",
    "Change the name or the role of a Program's API user",
    { body: ApiUserUpdate, data: ApiUserView, errors: ["ILLEGAL_TRANSITION"] },
  ),
  keyRoute(
    "POST /account/programs/{programId}/api-users/{apiUserId}/rotate",
    "write rotateProgramApiUser",
    "Rotate a Program-level key",
    { body: ApiUserRotate, data: ApiUserWithKey, errors: ["ILLEGAL_TRANSITION"] },
  ),
  keyRoute(
    "DELETE /account/programs/{programId}/api-users/{apiUserId}",
    "write revokeProgramApiUser",
    "Revoke a Program-level key",
    { data: ApiUserView },
  ),
];

export const accountAccessRoutes = [
  ...apiUserRoutes,
  route("GET /account/ip-allowlist", "read listAllowedIps", "List the allowed address ranges", {
    query: listQuery(["entryId", "cidr", "dateCreated"], {}),
    items: AllowedIpView,
  }),
  route(
    "POST /account/ip-allowlist",
    "write allowIp",
    "Allow an address range for the Tenant or for one Program",
    { creates: true, body: AllowedIpCreate, data: AllowedIpView, errors: ["NOT_FOUND", "LIMIT_REACHED"] },
  ),
  route("DELETE /account/ip-allowlist/{entryId}", "write removeIp", "Remove an allowed address range", {
    data: AllowedIpView,
  }),
  route("GET /account/audit-log", "read listAuditLog", "List the entries of the audit log", {
    query: listQuery(["auditId", "dateCreated"], {
      programId: text(64).optional(),
      actor: text(64).optional(),
      action: text(64).optional(),
    }),
    items: AuditEntryView,
  }),
];

/** The current certificate and its successor. Counted per set of Programs. */
export const maximumActiveCertificates = 2;

export const certificateDays = 90;

export const certificateStatus = z.enum(["active", "revoked", "expired"]);
export type CertificateStatus = z.output<typeof certificateStatus>;

export const CertificateCreate = z.object({
  /**
   * A PKCS#10 request in PEM. O is the Tenant's id, each OU the id of a Program, and each subject
   * alternative name one of the caller's domains.
   */
  csr: z.string().min(1).max(16_384),
});

export const CertificateView = z.object({
  certificateId: id("certificate"),
  status: certificateStatus,
  /** The Programs whose keys it can be used with. If empty: Tenant-level keys only. */
  programIds: z.array(id("program")),
  domains: z.array(z.string()),
  /** Lower-case hexadecimal. */
  serialNumber: z.string(),
  /** SHA-256 of the certificate's DER, in lower-case hexadecimal. */
  fingerprint: z.string(),
  notAfter: timestamp,
  dateCreated: timestamp,
  dateRevoked: timestamp.optional(),
});
export type CertificateView = z.output<typeof CertificateView>;

/** `certificate` is the certificate in PEM. */
export const CertificateDetail = CertificateView.extend({ certificate: z.string() });

const certificateRoute = routesWith({ api: "platform", function: "certificates", level: "tenant" });

export const accountCertificateRoutes = [
  certificateRoute("GET /account/certificates", "read listCertificates", "List client certificates", {
    query: listQuery(["certificateId", "notAfter", "dateCreated"], { status: certificateStatus.optional() }),
    items: CertificateView,
  }),
  certificateRoute(
    "POST /account/certificates",
    "write issueCertificate",
    "Issue a client certificate for a certificate signing request",
    { creates: true, body: CertificateCreate, data: CertificateDetail, errors: ["LIMIT_REACHED"] },
  ),
  certificateRoute(
    "GET /account/certificates/{certificateId}",
    "read viewCertificate",
    "View a client certificate",
    { data: CertificateDetail },
  ),
  certificateRoute(
    "DELETE /account/certificates/{certificateId}",
    "write revokeCertificate",
    "Revoke a client certificate",
    { data: CertificateView, errors: ["ILLEGAL_TRANSITION"] },
  ),
];
