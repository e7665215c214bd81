import type { ProgramView } from "../../shared/contract/account-programs.ts";
import { defaultWalletPut } from "../../shared/domain/wallets/wallet.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import { nameKey } from "../../shared/lists/name-key.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { tenantKey } from "../../shared/platform/table/keys.ts";
import { toActor } from "../../shared/tenancy/audit-log.ts";
import { getTenantProgram, toProgramView, toSettingsView } from "../../shared/tenancy/programs/program.ts";
import { addProgram, changeSettings } from "../../shared/tenancy/programs/program-change.ts";
import type { AccountOperations } from "./operations.ts";

/** What a page shows of a Program never changes, so the Tenant's partition has a copy. */
export const listPrograms: AccountOperations["GET /account/programs"] = ({ scope, query }) =>
  listPage(
    {
      records: { table: "accounts", partitions: [tenantKey.programOf(scope.tenantId, "")] },
      orders: { programId: "programId", name: "name", dateCreated: "createdAt" },
      sortKeys: { name: ({ name }) => nameKey(String(name)) },
      view: (program: ProgramView) => program,
    },
    query,
  );

/**
 * Without extended public keys the Program gets some of the environment's.
 * @throws ApiError VALIDATION_FAILED for an extended public key that is invalid or another
 * Program's
 */
export const createProgram: AccountOperations["POST /account/programs"] = async (request) => {
  const { tenantId } = request.scope;
  const { program, outcome } = await addProgram(
    { tenantId, ...request.body },
    toActor(request),
    defaultWalletPut,
  );
  if (!outcome.committed) throw new ApiError("NOT_FOUND");
  return toProgramView(program);
};

/** @throws ApiError NOT_FOUND */
export const viewProgram: AccountOperations["GET /account/programs/{programId}"] = async ({ scope, path }) =>
  toProgramView(await getTenantProgram(scope.tenantId, path.programId));

/** @throws ApiError NOT_FOUND */
export const viewSettings: AccountOperations["GET /account/programs/{programId}/settings"] = async ({
  scope,
  path,
}) => toSettingsView((await getTenantProgram(scope.tenantId, path.programId)).settings);

/**
 * Fields that are left out keep their values. Applies from the next request on.
 * @throws ApiError NOT_FOUND; VALIDATION_FAILED for an extended public key that is invalid or
 * another Program's
 */
export const updateSettings: AccountOperations["PUT /account/programs/{programId}/settings"] = async (
  request,
) => {
  const { scope, path, body } = request;
  return toSettingsView(await changeSettings(scope.tenantId, path.programId, body, toActor(request)));
};
