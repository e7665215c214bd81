import { certificateDays } from "../../shared/contract/account-access.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { newId } from "../../shared/platform/id.ts";
import type { TransactionOutcome } from "../../shared/platform/table/transact.ts";
import { requireCommitted } from "../../shared/tenancy/administration/command-rejected.ts";
import { type Actor, toActor } from "../../shared/tenancy/audit-log.ts";
import { type TenantCertificate, toCertificateView } from "../../shared/tenancy/certificates/certificate.ts";
import { registerIssued, requireRoom } from "../../shared/tenancy/certificates/certificate-change.ts";
import { readClientCertificate } from "../../shared/tenancy/certificates/client-certificate.ts";
import { getIssuingAuthority } from "./authorities.ts";
import {
  type Applicant,
  type CertificateRequest,
  readCertificateRequest,
  requestFaults,
  unreadable,
} from "./certificate-request.ts";
import type { CertificateOperations, Command } from "./operations.ts";
import { signClientCertificate } from "./sign-certificate.ts";

/**
 * @throws ApiError VALIDATION_FAILED with every fault of the request; LIMIT_REACHED if two are
 * active for the same Programs
 */
export const issueCertificate: CertificateOperations["POST /account/certificates"] = async (request) => {
  const { tenantId } = request.scope;
  const applicant = { tenantId, mayNameNone: false };
  const { certificate, outcome } = await signRequest(request.body.csr, applicant, toActor(request));
  if (!outcome.committed) throw new ApiError("NOT_FOUND");
  return { ...toCertificateView(certificate), certificate: certificate.certificatePem };
};

/**
 * A Tenant's first certificate comes from here: the API needs one. It may name no Program, and is
 * then good for Tenant-level keys alone.
 * @throws CommandRejected if the Tenant does not exist, the request is invalid, or two are active
 */
export const issueForTenant: Command<"issue-certificate"> = async ({ tenantId, csr }, actor) => {
  const { certificate, outcome } = await signRequest(csr, { tenantId, mayNameNone: true }, actor);
  requireCommitted(outcome);
  const { certificateId, certificatePem, serialNumber, notAfter } = certificate;
  return { certificateId, certificate: certificatePem, serialNumber, notAfter };
};

export interface Issued {
  readonly certificate: TenantCertificate;
  readonly outcome: TransactionOutcome;
}

const dayMs = 86_400_000;
/** Clocks of callers and the platform may differ. */
const backdatedMs = 300_000;

/**
 * Signs a request for 90 days and registers it. The outcome fails if the Tenant does not exist.
 * @throws ApiError VALIDATION_FAILED with every fault; LIMIT_REACHED if two are active for the same
 * Programs
 */
export async function signRequest(csr: string, applicant: Applicant, actor: Actor): Promise<Issued> {
  const request = readCertificateRequest(csr);
  if (!request) throw new ApiError("VALIDATION_FAILED", [unreadable]);
  const faults = await requestFaults(request, applicant);
  if (faults.length > 0) throw new ApiError("VALIDATION_FAILED", faults);
  const programIds = [...request.organizationalUnits];
  const count = await requireRoom(applicant.tenantId, programIds);
  const { name, certificatePem } = await sign(request, applicant.tenantId, programIds);
  const { serialNumber, fingerprint, domains, notAfter } = readClientCertificate(certificatePem);
  const certificate = {
    certificateId: newId("certificate"),
    tenantId: applicant.tenantId,
    programIds,
    domains: [...domains],
    environment: environment.name,
    fingerprint,
    serialNumber,
    notAfter: timestamp(notAfter),
    certificatePem,
    authority: name,
    createdAt: actor.at,
    createdBy: actor.by,
  };
  return { certificate, outcome: await registerIssued(certificate, count, actor) };
}

async function sign(request: CertificateRequest, tenantId: string, programIds: readonly string[]) {
  const authority = await getIssuingAuthority();
  // A certificate's times have no milliseconds.
  const atMs = Math.floor(now().getTime() / 1000) * 1000;
  const endMs = Math.min(atMs + certificateDays * dayMs, Date.parse(authority.notAfter));
  if (endMs <= atMs) throw new Error(`The certificate authority ${authority.name} has expired.`);
  const names = request.alternativeNames.map(({ value }) => value.toLowerCase());
  const certificatePem = await signClientCertificate(authority, {
    tenantId,
    programIds,
    domains: [...new Set(names)],
    publicKey: request.publicKey,
    notBefore: new Date(atMs - backdatedMs),
    notAfter: new Date(endMs),
  });
  return { name: authority.name, certificatePem };
}
