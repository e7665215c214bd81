import { transact } from "../../shared/table/transact.ts";
import { toApiUserView } from "../../shared/tenant/api-user.ts";
import { actorOf } from "../../shared/tenant/audit.ts";
import { newApiUser } from "../../shared/tenant/new-api-user.ts";
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
