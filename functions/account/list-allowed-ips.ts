import { listPage } from "../../shared/lists/list-page.ts";
import { accountsKey } from "../../shared/platform/table/keys.ts";
import { toAllowedIpView } from "../../shared/tenancy/allowlist/allowlist-change.ts";
import { AllowedIp } from "../../shared/tenancy/allowlist/ip-allowlist.ts";
import type { AccountOperations } from "./operations.ts";

/** The address ranges that may call, for the whole Tenant and for its Programs. */
export const listAllowedIps: AccountOperations["GET /account/ip-allowlist"] = ({ scope, query }) =>
  listPage(
    {
      records: {
        table: "accounts",
        partitions: [{ ...accountsKey.allowedIp(scope.tenantId, "*", ""), sk: "" }],
      },
      orders: { entryId: "entryId", cidr: "cidr", dateCreated: "createdAt" },
      view: (item) => toAllowedIpView(AllowedIp.parse(item)),
    },
    query,
  );
