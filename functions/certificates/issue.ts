import { ApiError } from "../../shared/platform/http/api-error.ts";
import { requireCommitted } from "../../shared/tenancy/administration/command-refused.ts";
import { actorOf } from "../../shared/tenancy/audit-log.ts";
import { toCertificateView } from "../../shared/tenancy/certificates/certificate.ts";
import type { Command } from "./command.ts";
import type { CertificateOperations } from "./operations.ts";
import { signRequest } from "./sign-request.ts";

/**
 * @throws ApiError VALIDATION_FAILED with every fault of the request; LIMIT_REACHED if two are
 * active for the same Programs
 */
export const issueCertificate: CertificateOperations["POST /account/certificates"] = async (request) => {
  const { tenantId } = request.scope;
  const applicant = { tenantId, mayNameNone: false };
  const { certificate, outcome } = await signRequest(request.body.csr, applicant, actorOf(request));
  if (!outcome.committed) throw new ApiError("NOT_FOUND");
  return { ...toCertificateView(certificate), certificate: certificate.certificatePem };
};

/**
 * A Tenant's first certificate comes from here: the API needs one. It may name no Program, and is
 * then good for Tenant-level keys alone.
 *
 * @throws CommandRefused if the Tenant does not exist, the request is invalid, or two are active
 */
export const issueForTenant: Command<"issue-certificate"> = async ({ tenantId, csr }, actor) => {
  const { certificate, outcome } = await signRequest(csr, { tenantId, mayNameNone: true }, actor);
  requireCommitted(outcome);
  const { certificateId, certificatePem, serialNumber, notAfter } = certificate;
  return { certificateId, certificate: certificatePem, serialNumber, notAfter };
};
