import { ApiError } from "../../shared/api-error.ts";
import { getProgramOf } from "../../shared/program/program.ts";
import { transact } from "../../shared/table/transact.ts";
import { toApiUserView } from "../../shared/tenant/api-user.ts";
import { actorOf } from "../../shared/tenant/audit.ts";
import { newApiUser } from "../../shared/tenant/new-api-user.ts";
import { ensureUsageKeys } from "../../shared/usage/program-usage.ts";
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
