import { actorOf } from "../../shared/tenancy/audit-log.ts";
import { toCertificateView } from "../../shared/tenancy/certificates/certificate.ts";
import { revokeCertificate as revokeCertificateOf } from "../../shared/tenancy/certificates/certificate-change.ts";
import type { CertificateOperations } from "./operations.ts";

/**
 * Revokes a certificate, the one that the caller presents too if it says so: the very next request on it is refused. Revoking it again changes nothing.
 *
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION for one that has expired
 */
export const revokeCertificate: CertificateOperations["DELETE /account/certificates/{certificateId}"] =
  async (request) => {
    const { scope, path } = request;
    return toCertificateView(await revokeCertificateOf(scope.tenantId, path.certificateId, actorOf(request)));
  };
