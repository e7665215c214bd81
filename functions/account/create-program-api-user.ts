import { ApiError } from "../../shared/platform/http/api-error.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { toApiUserView } from "../../shared/tenancy/api-keys/api-user.ts";
import { newApiUser } from "../../shared/tenancy/api-keys/api-user-change.ts";
import { actorOf } from "../../shared/tenancy/audit-log.ts";
import { getProgramOf } from "../../shared/tenancy/programs/program.ts";
import { ensureUsageKeys } from "../../shared/tenancy/usage/program-usage.ts";
import type { AccountOperations } from "./operations.ts";

/**
 * Creates an API user with a key of the Program, which leaves in this answer and is kept nowhere.
 *
 * @throws ApiError NOT_FOUND
 */
export const createProgramApiUser: AccountOperations["POST /account/programs/{programId}/api-users"] = async (
  request,
) => {
  const { tenantId } = request.scope;
  const program = await getProgramOf(tenantId, request.path.programId);
  await ensureUsageKeys(program);
  const { programId, currency } = program;
  const ofProgram = { programId, currency };
  const { user, apiKey, ownerExists, writes } = await newApiUser(
    tenantId,
    ofProgram,
    request.body.name,
    actorOf(request),
  );
  if (!(await transact([ownerExists, ...writes])).committed) throw new ApiError("NOT_FOUND");
  return { ...toApiUserView(user), apiKey };
};
