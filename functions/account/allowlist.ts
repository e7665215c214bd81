import { listPage } from "../../shared/lists/list-page.ts";
import { ApiError, missing } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import {
  allowRange,
  removeRange,
  requireNarrow,
  toAllowedIpView,
} from "../../shared/tenancy/allowlist/allowlist-change.ts";
import { AllowedIp, allowedIps } from "../../shared/tenancy/allowlist/ip-allowlist.ts";
import { toActor } from "../../shared/tenancy/audit-log.ts";

export const listAllowedIps: Operations["GET /account/ip-allowlist"] = ({ scope, query }) =>
  listPage(
    {
      records: allowedIps.records(scope.tenantId),
      view: (item) => toAllowedIpView(AllowedIp.parse(item)),
    },
    query,
  );

/**
 * Returns the existing entry for a range that is on the list.
 * @throws ApiError VALIDATION_FAILED for a range wider than /16 (IPv4) or /32 (IPv6); LIMIT_REACHED
 * at 50
 */
export const allowIp: Operations["POST /account/ip-allowlist"] = async (request) => {
  const { cidr, programId } = request.body;
  const range = { cidr: requireNarrow(cidr), programId };
  const { entry, outcome } = await allowRange(request.scope.tenantId, range, toActor(request));
  if (!outcome.committed) throw new ApiError("NOT_FOUND", missing({ programId: undefined }));
  return toAllowedIpView(entry);
};

/** Applies from the next request on. Callers may remove the range that they call from. */
export const removeIp: Operations["DELETE /account/ip-allowlist/{entryId}"] = async (request) => {
  const entries = await allowedIps.list(request.scope.tenantId);
  const entry = entries.find(({ entryId }) => entryId === request.path.entryId);
  if (!entry) throw new ApiError("NOT_FOUND");
  await removeRange(entry, toActor(request));
  return toAllowedIpView(entry);
};
