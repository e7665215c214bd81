import { listPage } from "../../shared/lists/list-page.ts";
import { accountsKey } from "../../shared/platform/table/keys.ts";
import { CertificateShown, toCertificateView } from "../../shared/tenancy/certificates/certificate.ts";
import type { CertificateOperations } from "./operations.ts";

/** The Tenant's certificates, expired ones included. Their status depends on the time, so it filters what was read. */
export const listCertificates: CertificateOperations["GET /account/certificates"] = async ({
  scope,
  query,
}) => {
  const { status, limit, offset, ...order } = query;
  const { items } = await listPage(
    {
      records: { table: "accounts", partitions: [accountsKey.certificateOf(scope.tenantId, "")] },
      orders: { certificateId: "certificateId", notAfter: "notAfter", dateCreated: "createdAt" },
      view: (item) => toCertificateView(CertificateShown.parse(item)),
    },
    { ...order, limit: Number.POSITIVE_INFINITY, offset: 0 },
  );
  const matching = items.filter((certificate) => status === undefined || certificate.status === status);
  return { items: matching.slice(offset, offset + limit), total: matching.length };
};
