import { ApiError } from "../../shared/platform/http/api-error.ts";
import { shownCertificates, toCertificateView } from "../../shared/tenancy/certificates/certificate.ts";
import type { CertificateOperations } from "./operations.ts";

/**
 * A certificate with its PEM: whoever has lost the answer that it came in finds it here.
 *
 * @throws ApiError NOT_FOUND
 */
export const viewCertificate: CertificateOperations["GET /account/certificates/{certificateId}"] = async ({
  scope,
  path,
}) => {
  const found = await shownCertificates.at(scope.tenantId, path.certificateId).get();
  if (!found) throw new ApiError("NOT_FOUND");
  return { ...toCertificateView(found), certificate: found.certificatePem };
};
