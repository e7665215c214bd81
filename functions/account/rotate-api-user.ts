import { toApiUserView } from "../../shared/tenancy/api-keys/api-user.ts";
import { rotateKey } from "../../shared/tenancy/api-keys/api-user-change.ts";
import { type Actor, actorOf } from "../../shared/tenancy/audit-log.ts";
import { getApiUser } from "./get-api-user.ts";
import type { AccountOperations } from "./operations.ts";

/**
 * Replaces a Tenant-level key. The one from before works beside it for as long as the caller says; the new one leaves in this answer alone.
 *
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION for a revoked one, or one that another request is changing
 */
export const rotateTenantApiUser: AccountOperations["POST /account/api-users/{apiUserId}/rotate"] = (
  request,
) => rotate(request.scope.tenantId, request.path.apiUserId, undefined, request.body, actorOf(request));

/**
 * Replaces a key of a Program, in the same way.
 *
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION for a revoked one, or one that another request is changing
 */
export const rotateProgramApiUser: AccountOperations["POST /account/programs/{programId}/api-users/{apiUserId}/rotate"] =
  ({ scope, path, body, requestId }) =>
    rotate(scope.tenantId, path.apiUserId, path.programId, body, actorOf({ scope, requestId }));

async function rotate(
  tenantId: string,
  apiUserId: string,
  programId: string | undefined,
  { overlapSeconds }: { readonly overlapSeconds: number },
  actor: Actor,
) {
  const found = await getApiUser(tenantId, apiUserId, programId);
  const { user, apiKey } = await rotateKey(found, overlapSeconds, actor);
  return { ...toApiUserView(user), apiKey };
}
