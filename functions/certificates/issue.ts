import { ApiError } from "../../shared/platform/http/api-error.ts";
import { requireCommitted } from "../../shared/tenancy/administration/command-refused.ts";
import { actorOf } from "../../shared/tenancy/audit-log.ts";
import { toCertificateView } from "../../shared/tenancy/certificates/certificate.ts";
import type { Command } from "./command.ts";
import type { CertificateOperations } from "./operations.ts";
import { signRequest } from "./sign-request.ts";

/**
 * Signs a certificate for Programs of the Tenant.
 *
 * @throws ApiError VALIDATION_FAILED with everything that is wrong with the request; LIMIT_REACHED where two are active for the same Programs
 */
export const issueCertificate: CertificateOperations["POST /account/certificates"] = async (request) => {
  const { tenantId } = request.scope;
  const applicant = { tenantId, mayNameNone: false };
  const { certificate, outcome } = await signRequest(request.body.csr, applicant, actorOf(request));
  if (!outcome.committed) throw new ApiError("NOT_FOUND");
  return { ...toCertificateView(certificate), certificate: certificate.certificatePem };
};

/**
 * Signs a certificate for a Tenant on the platform's word, its first one above all: with none, nobody of it gets in to ask for one. It may name no
 * Program; then it is good for Tenant-level keys alone.
 *
 * @throws CommandRefused when there is no such Tenant, or its request is at fault, or two are active for the same Programs
 */
export const issueForTenant: Command<"issue-certificate"> = async ({ tenantId, csr }, actor) => {
  const { certificate, outcome } = await signRequest(csr, { tenantId, mayNameNone: true }, actor);
  requireCommitted(outcome);
  const { certificateId, certificatePem, serialNumber, notAfter } = certificate;
  return { certificateId, certificate: certificatePem, serialNumber, notAfter };
};
