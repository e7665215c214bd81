import type { ProgramSettings, ProgramSettingsView, ProgramView } from "../../contract/account-programs.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { programBins } from "./bins.ts";
import { type Program, programs, readProgram } from "./program.ts";

/** @throws ApiError NOT_FOUND, also for another Tenant's Program */
export async function getTenantProgram(tenantId: string, programId: string): Promise<Program> {
  const program = await readProgram(programId);
  if (program?.tenantId !== tenantId) throw new ApiError("NOT_FOUND");
  return program;
}

/** The condition that the Program exists and is this Tenant's. Its name says what is missing. */
export function programExists(tenantId: string, programId: string): WriteAction {
  return {
    ...programs.at(programId).check({ tenantId }),
    name: `Program ${programId} of Tenant ${tenantId}`,
  };
}

export function toProgramView(program: Program): ProgramView {
  const { programId, name, currency, defaultWalletId: walletId, createdAt: dateCreated } = program;
  return { programId, name, currency, walletId, dateCreated };
}

export function toSettingsView({ cardBin, moreBins, ...settings }: ProgramSettings): ProgramSettingsView {
  const { autoRenew = false, renewalReminder = false } = settings;
  return { ...settings, autoRenew, renewalReminder, bins: programBins({ cardBin, moreBins }) };
}
