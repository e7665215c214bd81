import { listPage } from "../../shared/lists/list-page.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { toActor } from "../../shared/tenancy/audit-log.ts";
import {
  TenantCertificate,
  tenantCertificates,
  toCertificateView,
} from "../../shared/tenancy/certificates/certificate.ts";
import { revokeTenantCertificate } from "../../shared/tenancy/certificates/certificate-change.ts";

/** Includes expired ones. The status depends on the time, so the filter applies after the read. */
export const listCertificates: Operations["GET /account/certificates"] = async ({ scope, query }) => {
  const { status, limit, offset, ...order } = query;
  const { items } = await listPage(
    {
      records: tenantCertificates.records(scope.tenantId),
      view: (item) => toCertificateView(TenantCertificate.parse(item)),
    },
    { ...order, limit: Number.POSITIVE_INFINITY, offset: 0 },
  );
  const matching = items.filter((certificate) => status === undefined || certificate.status === status);
  return { items: matching.slice(offset, offset + limit), total: matching.length };
};

/** Includes the PEM, for callers who lost the answer that had it. */
export const viewCertificate: Operations["GET /account/certificates/{certificateId}"] = async (request) => {
  const { scope, path } = request;
  const found = await tenantCertificates.at(scope.tenantId, path.certificateId).get();
  if (!found) throw new ApiError("NOT_FOUND");
  return { ...toCertificateView(found), certificate: found.certificatePem };
};

/**
 * Applies from the next request on, also to the caller's own. Repeating it changes nothing.
 * @throws ApiError ILLEGAL_TRANSITION if the certificate has expired
 */
export const revokeCertificate: Operations["DELETE /account/certificates/{certificateId}"] = async (
  request,
) => {
  const { scope, path } = request;
  return toCertificateView(
    await revokeTenantCertificate(scope.tenantId, path.certificateId, toActor(request)),
  );
};
