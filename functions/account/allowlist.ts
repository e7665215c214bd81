import { listPage } from "../../shared/lists/list-page.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { accountsKey } from "../../shared/platform/table/keys.ts";
import {
  allowRange,
  removeRange,
  requireNarrow,
  toAllowedIpView,
} from "../../shared/tenancy/allowlist/allowlist-change.ts";
import { AllowedIp, allowedIps } from "../../shared/tenancy/allowlist/ip-allowlist.ts";
import { actorOf } from "../../shared/tenancy/audit-log.ts";
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

/**
 * Lets a range of addresses call, for the whole Tenant or for one Program. A range that is there already is answered as it is.
 *
 * @throws ApiError VALIDATION_FAILED for a range wider than /16 (IPv4) or /32 (IPv6); NOT_FOUND for another Tenant's Program; LIMIT_REACHED at 50
 */
export const allowIp: AccountOperations["POST /account/ip-allowlist"] = async (request) => {
  const { cidr, programId } = request.body;
  const range = { cidr: requireNarrow(cidr), programId };
  const { entry, outcome } = await allowRange(request.scope.tenantId, range, actorOf(request));
  if (!outcome.committed) throw new ApiError("NOT_FOUND");
  return toAllowedIpView(entry);
};

/**
 * Takes a range off the allowlist, the one that the caller calls from too if it says so: the very next request from there is refused.
 *
 * @throws ApiError NOT_FOUND
 */
export const removeIp: AccountOperations["DELETE /account/ip-allowlist/{entryId}"] = async (request) => {
  const entries = await allowedIps.list(request.scope.tenantId);
  const entry = entries.find(({ entryId }) => entryId === request.path.entryId);
  if (!entry) throw new ApiError("NOT_FOUND");
  await removeRange(entry, actorOf(request));
  return toAllowedIpView(entry);
};
