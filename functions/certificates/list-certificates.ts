import { listPage } from "../../shared/lists/list-page.ts";
import { accountsKey } from "../../shared/platform/table/keys.ts";
import { CertificateShown, toCertificateView } from "../../shared/tenancy/certificates/certificate.ts";
import type { CertificateOperations } from "./operations.ts";

/** The Tenant's certificates, those that are over included. Whether one is over the clock says, so the status is asked for after they are read. */
export const listCertificates: CertificateOperations["GET /account/certificates"] = async ({
  scope,
  query,
}) => {
  const { status, limit, offset, ...order } = query;
  const { pk: partition, sk: prefix } = accountsKey.certificateOf(scope.tenantId, "");
  const { items } = await listPage(
    {
      records: { table: "accounts", partition, prefix },
      orders: { certificateId: "certificateId", notAfter: "notAfter", dateCreated: "createdAt" },
      filters: {},
    },
    { ...order, limit: Number.POSITIVE_INFINITY, offset: 0 },
  );
  const certificates = items.map((item) => toCertificateView(CertificateShown.parse(item)));
  const matching = certificates.filter((one) => status === undefined || one.status === status);
  return { items: matching.slice(offset, offset + limit), total: matching.length };
};
