import { getProgramOf, toSettingsView } from "../../shared/tenancy/programs/program.ts";
import type { AccountOperations } from "./operations.ts";

/**
 * The settings of a Program that its Tenant decides on.
 *
 * @throws ApiError NOT_FOUND
 */
export const viewSettings: AccountOperations["GET /account/programs/{programId}/settings"] = async ({
  scope,
  path,
}) => toSettingsView((await getProgramOf(scope.tenantId, path.programId)).settings);
