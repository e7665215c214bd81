import { ApiError } from "../../shared/platform/http/api-error.ts";
import {
  allowRange,
  requireNarrow,
  toAllowedIpView,
} from "../../shared/tenancy/allowlist/allowlist-change.ts";
import { actorOf } from "../../shared/tenancy/audit-log.ts";
import type { AccountOperations } from "./operations.ts";

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
