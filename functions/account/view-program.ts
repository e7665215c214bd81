import { getProgramOf, toProgramView } from "../../shared/tenancy/programs/program.ts";
import type { AccountOperations } from "./operations.ts";

/**
 * One Program of the Tenant.
 *
 * @throws ApiError NOT_FOUND
 */
export const viewProgram: AccountOperations["GET /account/programs/{programId}"] = async ({ scope, path }) =>
  toProgramView(await getProgramOf(scope.tenantId, path.programId));
