import type { ProgramView } from "../../shared/contract/account-programs.ts";
import { defaultWalletPut } from "../../shared/domain/wallets/wallet.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { tenantKey } from "../../shared/platform/table/tenant-keys.ts";
import { actorOf } from "../../shared/tenancy/audit-log.ts";
import { createProgram as createProgramOf } from "../../shared/tenancy/programs/new-program.ts";
import { getProgramOf, toProgramView, toSettingsView } from "../../shared/tenancy/programs/program.ts";
import { updateSettings as updateSettingsOf } from "../../shared/tenancy/programs/program-settings.ts";
import type { AccountOperations } from "./operations.ts";

/** The Tenant's Programs. What a page shows of one never changes, so the Tenant's partition has a copy. */
export const listPrograms: AccountOperations["GET /account/programs"] = ({ scope, query }) =>
  listPage(
    {
      records: { table: "accounts", partitions: [tenantKey.programOf(scope.tenantId, "")] },
      orders: { programId: "programId", name: "name", dateCreated: "createdAt" },
      view: (program: ProgramView) => program,
    },
    query,
  );

/**
 * Creates a Program in a currency that never changes, with its default Wallet. Without extended public keys it gets some of the environment's.
 *
 * @throws ApiError VALIDATION_FAILED for an extended public key that is none, or another Program's
 */
export const createProgram: AccountOperations["POST /account/programs"] = async (request) => {
  const { tenantId } = request.scope;
  const { program, outcome } = await createProgramOf(
    { tenantId, ...request.body },
    actorOf(request),
    defaultWalletPut,
  );
  if (!outcome.committed) throw new ApiError("NOT_FOUND");
  return toProgramView(program);
};

/**
 * One Program of the Tenant.
 *
 * @throws ApiError NOT_FOUND
 */
export const viewProgram: AccountOperations["GET /account/programs/{programId}"] = async ({ scope, path }) =>
  toProgramView(await getProgramOf(scope.tenantId, path.programId));

/**
 * The settings of a Program that its Tenant decides on.
 *
 * @throws ApiError NOT_FOUND
 */
export const viewSettings: AccountOperations["GET /account/programs/{programId}/settings"] = async ({
  scope,
  path,
}) => toSettingsView((await getProgramOf(scope.tenantId, path.programId)).settings);

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
