import { actorOf } from "../../shared/tenancy/audit-log.ts";
import { toSettingsView } from "../../shared/tenancy/programs/program.ts";
import { updateSettings as updateSettingsOf } from "../../shared/tenancy/programs/program-settings.ts";
import type { AccountOperations } from "./operations.ts";

/**
 * Changes any of a Program's settings; what is left out stays as it is. Each request to the Program goes by them from then on.
 *
 * @throws ApiError NOT_FOUND; VALIDATION_FAILED for an extended public key that is none, or another Program's
 */
export const updateSettings: AccountOperations["PUT /account/programs/{programId}/settings"] = async (
  request,
) => {
  const { scope, path, body } = request;
  return toSettingsView(await updateSettingsOf(scope.tenantId, path.programId, body, actorOf(request)));
};
