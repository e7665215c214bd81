import { transact } from "../../shared/platform/table/transact.ts";
import { toApiUserView } from "../../shared/tenancy/api-keys/api-user.ts";
import { newApiUser } from "../../shared/tenancy/api-keys/api-user-change.ts";
import { actorOf } from "../../shared/tenancy/audit-log.ts";
import type { AccountOperations } from "./operations.ts";

/** Creates an API user with a Tenant-level key, which leaves in this answer and is kept nowhere. */
export const createTenantApiUser: AccountOperations["POST /account/api-users"] = async (request) => {
  const { tenantId } = request.scope;
  const { user, apiKey, ownerExists, writes } = await newApiUser(
    tenantId,
    undefined,
    request.body.name,
    actorOf(request),
  );
  if (!(await transact([ownerExists, ...writes])).committed)
    throw new Error(`The Tenant ${tenantId} does not exist.`);
  return { ...toApiUserView(user), apiKey };
};
