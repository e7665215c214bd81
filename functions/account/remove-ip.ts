import { ApiError } from "../../shared/platform/http/api-error.ts";
import { removeRange, toAllowedIpView } from "../../shared/tenancy/allowlist/allowlist-change.ts";
import { allowedIps } from "../../shared/tenancy/allowlist/ip-allowlist.ts";
import { actorOf } from "../../shared/tenancy/audit-log.ts";
import type { AccountOperations } from "./operations.ts";

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
