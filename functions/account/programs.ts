import type {
  ProgramSettings,
  ProgramSettingsView,
  ProgramView,
} from "../../shared/contract/account-programs.ts";
import { timeZoneWrite } from "../../shared/controls/commit-control.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import { nameKey } from "../../shared/lists/name-key.ts";
import { environment } from "../../shared/platform/environment.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { accepted } from "../../shared/platform/http/response.ts";
import { type Actor, toActor } from "../../shared/tenancy/audit-log.ts";
import type { Program } from "../../shared/tenancy/programs/program.ts";
import {
  addProgram,
  changeSettings,
  programsOfTenant,
} from "../../shared/tenancy/programs/program-change.ts";
import {
  getTenantProgram,
  programExists,
  toProgramView,
  toSettingsView,
} from "../../shared/tenancy/programs/tenant-program.ts";
import { makeRequest, requests } from "../../shared/tenancy/requests.ts";
import { defaultWalletPut } from "../../shared/wallets/wallet.ts";

/** What a page shows of a Program never changes, so the Tenant's partition has a copy. */
export const listPrograms: Operations["GET /account/programs"] = ({ scope, query }) =>
  listPage(
    {
      records: programsOfTenant.records(scope.tenantId),
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
export const createProgram: Operations["POST /account/programs"] = async (request) => {
  const { tenantId } = request.scope;
  const { bankAccount, settings } = takeOut(request.body.settings);
  const { program, outcome } = await addProgram(
    { tenantId, ...request.body, settings },
    toActor(request),
    defaultWalletPut,
  );
  if (!outcome.committed) throw new ApiError("NOT_FOUND");
  await askFor(bankAccount, program, toActor(request));
  return toProgramView(program);
};

export const viewProgram: Operations["GET /account/programs/{programId}"] = async ({ scope, path }) =>
  toProgramView(await getTenantProgram(scope.tenantId, path.programId));

export const viewSettings: Operations["GET /account/programs/{programId}/settings"] = async (request) => {
  const { scope, path } = request;
  const { programId, settings } = await getTenantProgram(scope.tenantId, path.programId);
  return withRequested(programId, settings);
};

async function withRequested(programId: string, settings: ProgramSettings): Promise<ProgramSettingsView> {
  const request = environment.isSelfService ? undefined : await requests.at(programId, "bank_account").get();
  return { ...toSettingsView(settings), requestedBankAccount: request?.bankAccount };
}

/** The account is left to the operator, unless the environment has a sandbox. */
function takeOut<S extends { bankAccount?: string | undefined }>(settings: S) {
  if (environment.isSelfService) return { bankAccount: undefined, settings };
  const { bankAccount, ...others } = settings;
  return { bankAccount, settings: others };
}

/** Whether it waits now. */
async function askFor(bankAccount: string | undefined, program: Program, actor: Actor): Promise<boolean> {
  const { programId, tenantId, settings } = program;
  if (bankAccount === undefined || bankAccount === settings.bankAccount) return false;
  const request = { programId, tenantId, subject: "bank_account", bankAccount } as const;
  await makeRequest(request, "bank-account.request", actor, programExists(tenantId, programId));
  return true;
}

/**
 * Fields that are left out keep their values. Applies from the next request on.
 * @throws ApiError VALIDATION_FAILED for an extended public key that is invalid or another
 * Program's
 */
export const updateSettings: Operations["PUT /account/programs/{programId}/settings"] = async (request) => {
  const { scope, path, body } = request;
  const { programId } = path;
  const { bankAccount, settings } = takeOut(body);
  const changed = await changeSettings(scope.tenantId, programId, settings, toActor(request), {
    moreWrites: async (before, after) =>
      after.timeZone === before.timeZone ? [] : [await timeZoneWrite(programId, after.timeZone)],
  });
  const program = bankAccount === undefined ? undefined : await getTenantProgram(scope.tenantId, programId);
  const waits = program !== undefined && (await askFor(bankAccount, program, toActor(request)));
  const view = await withRequested(programId, changed);
  return waits ? accepted(view) : view;
};
