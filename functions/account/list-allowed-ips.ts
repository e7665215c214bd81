import { listPage } from "../../shared/lists/list-page.ts";
import { accountsKey } from "../../shared/platform/table/keys.ts";
import { toAllowedIpView } from "../../shared/tenancy/allowlist/allowlist-change.ts";
import { AllowedIp } from "../../shared/tenancy/allowlist/ip-allowlist.ts";
import type { AccountOperations } from "./operations.ts";

/** The ranges of addresses that may call, for the whole Tenant and for its Programs. */
export const listAllowedIps: AccountOperations["GET /account/ip-allowlist"] = async ({ scope, query }) => {
  const { pk: partition } = accountsKey.allowedIp(scope.tenantId, "*", "");
  const { items, total } = await listPage(
    {
      records: { table: "accounts", partition, prefix: "" },
      orders: { entryId: "entryId", cidr: "cidr", dateCreated: "createdAt" },
      filters: {},
    },
    query,
  );
  return { items: items.map((item) => toAllowedIpView(AllowedIp.parse(item))), total };
};
