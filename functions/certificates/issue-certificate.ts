import { ApiError } from "../../shared/platform/http/api-error.ts";
import { actorOf } from "../../shared/tenancy/audit-log.ts";
import { toCertificateView } from "../../shared/tenancy/certificates/certificate.ts";
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
