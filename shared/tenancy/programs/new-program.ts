import * as z from "zod";
import { type NewProgramSettings, ProgramSettings, ProgramView } from "../../contract/account-programs.ts";
import type { Currency } from "../../contract/enums.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { newId } from "../../platform/id.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { tenantKey } from "../../platform/table/keys.ts";
import { type TransactionOutcome, transact, type WriteAction } from "../../platform/table/transact.ts";
import { type Actor, auditPut } from "../audit-log.ts";
import { tenantExists } from "../tenant.ts";
import { type Program, programs, toProgramView, toSettingsView } from "./program.ts";

/** What the platform decides on is left out by a Tenant, and is standard then. */
type PlatformSettings = Pick<NewProgramSettings, "cardBin" | "clearingDelaySeconds">;
type RequestedSettings = Omit<NewProgramSettings, keyof PlatformSettings> & Partial<PlatformSettings>;

export interface ProgramRequest {
  readonly tenantId: string;
  readonly name: string;
  readonly currency: Currency;
  readonly settings: RequestedSettings;
}

const path = "body.settings.extendedPublicKeys";

const programsOfTenant = defineEntity({
  name: "program of the Tenant",
  table: "accounts",
  schema: z.object({ ...ProgramView.shape, createdAt: z.string() }),
  key: tenantKey.programOf,
});

/**
 * With its first Wallet, which the caller writes. Each call creates another Program. A failed condition names
 * the Tenant if it does not exist.
 * @throws ApiError VALIDATION_FAILED for an extended public key that is invalid, another Program's, or
 * missing without a default
 */
export async function createProgram(
  { tenantId, name, currency, settings: requested }: ProgramRequest,
  actor: Actor,
  walletWrite: (program: Program) => WriteAction,
): Promise<{ readonly program: Program; readonly outcome: TransactionOutcome }> {
  const programId = newId("program");
  const { settings, claims, takenKeys } = await settingsWithKeys(programId, requested);
  const program: Program = {
    programId,
    tenantId,
    name,
    currency,
    settings,
    defaultWalletId: newId("wallet"),
    createdAt: actor.at,
    createdBy: actor.by,
  };
  const after = { name, currency, walletId: program.defaultWalletId, settings: toSettingsView(settings) };
  const outcome = await transact([
    tenantExists(tenantId),
    programs.at(programId).create(program),
    programsOfTenant.at(tenantId, programId).put({ ...toProgramView(program), createdAt: actor.at }),
    walletWrite(program),
    ...claims,
    auditPut(
      { tenantId, programId, action: "program.create", subjectId: programId, before: null, after },
      actor,
    ),
  ]);
  const taken = outcome.committed ? [] : takenKeys(outcome.failedConditions, path);
  if (taken.length > 0) throw new ApiError("VALIDATION_FAILED", taken);
  return { program, outcome };
}

/** Imported on demand: the curves would slow every cold start. */
async function settingsWithKeys(programId: string, requested: RequestedSettings) {
  const { claimKeys, custodyKeys, takenKeys, unfitKeys } = await import("./derivation-keys.ts");
  const { extendedPublicKeys: own, ...others } = requested;
  const faults = own ? unfitKeys(own, path) : [];
  if (faults.length > 0) throw new ApiError("VALIDATION_FAILED", faults);
  const extendedPublicKeys = own ?? custodyKeys(programId);
  if (!extendedPublicKeys) {
    throw new ApiError("VALIDATION_FAILED", [{ path, code: "required", message: "is required" }]);
  }
  const settings = ProgramSettings.parse({ ...others, extendedPublicKeys });
  return { settings, claims: claimKeys(programId, extendedPublicKeys), takenKeys };
}
