import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { type NewProgramSettings, ProgramSettings, ProgramView } from "../../contract/account-programs.ts";
import type { Currency } from "../../contract/enums.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { newId } from "../../platform/id.ts";
import { all, any } from "../../platform/table/condition.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { tenantKey } from "../../platform/table/keys.ts";
import { Conflict, retry } from "../../platform/table/retry.ts";
import { type TransactionOutcome, transact, type WriteAction } from "../../platform/table/transact.ts";
import { type Actor, auditPut } from "../audit-log.ts";
import { tenantExists } from "../tenant.ts";
import { claimBankAccount, takenBankAccount } from "./bank-account.ts";
import { getTenantProgram, type Program, programs, toProgramView, toSettingsView } from "./program.ts";

/** Only the platform sets these; a Tenant's Program gets the standard ones. */
type PlatformSettings = Pick<NewProgramSettings, "cardBin" | "clearingDelaySeconds">;
type RequestedSettings = Omit<NewProgramSettings, keyof PlatformSettings> & Partial<PlatformSettings>;

interface ProgramRequest {
  readonly tenantId: string;
  readonly name: string;
  readonly currency: Currency;
  readonly settings: RequestedSettings;
}

const programsOfTenant = defineEntity({
  name: "program of the Tenant",
  table: "accounts",
  schema: z.object({ ...ProgramView.shape, createdAt: z.string() }),
  key: tenantKey.programOf,
});

/**
 * With its first Wallet, which the caller writes. Each call creates another Program. A failed
 * condition names the Tenant if it does not exist.
 * @throws ApiError VALIDATION_FAILED for an extended public key that is invalid, another Program's,
 * or missing without a default
 */
export async function addProgram(
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
    ...claimBankAccount(programId, settings.bankAccount),
    auditPut(actor, {
      tenantId,
      programId,
      action: "program.create",
      subjectId: programId,
      before: null,
      after,
    }),
  ]);
  const taken = outcome.committed
    ? []
    : [
        ...takenKeys(outcome.failedConditions, requestedKeys),
        ...takenBankAccount(outcome.failedConditions, "body.settings"),
      ];
  if (taken.length > 0) throw new ApiError("VALIDATION_FAILED", taken);
  return { program, outcome };
}

const requestedKeys = "body.settings.extendedPublicKeys";

/** Imports the curves on demand: they would slow every cold start. */
async function settingsWithKeys(programId: string, requested: RequestedSettings) {
  const { claimKeys, custodyKeys, takenKeys, unfitKeys } = await import("./derivation-keys.ts");
  const { extendedPublicKeys: own, ...others } = requested;
  const faults = own ? unfitKeys(own, requestedKeys) : [];
  if (faults.length > 0) throw new ApiError("VALIDATION_FAILED", faults);
  const extendedPublicKeys = own ?? custodyKeys(programId);
  if (!extendedPublicKeys) {
    throw new ApiError("VALIDATION_FAILED", [
      { path: requestedKeys, code: "required", message: "is required" },
    ]);
  }
  const settings = ProgramSettings.parse({ ...others, extendedPublicKeys });
  return { settings, claims: claimKeys(programId, extendedPublicKeys), takenKeys };
}

/**
 * Requires the settings as read, since the audit log records them. Unchanged values are no change.
 * @throws ApiError NOT_FOUND; VALIDATION_FAILED for an extended public key that is invalid or
 * another Program's
 */
export function changeSettings(
  tenantId: string,
  programId: string,
  update: Partial<ProgramSettings>,
  actor: Actor,
): Promise<ProgramSettings> {
  return retry(async () => {
    const program = await getTenantProgram(tenantId, programId);
    const settings: ProgramSettings = { ...program.settings, ...update };
    if (isDeepStrictEqual(settings, program.settings)) return settings;
    return (await writeSettings(program, settings, update, actor)) ? settings : new Conflict("settings");
  });
}

const changedKeys = "body.extendedPublicKeys";

/** False if the settings changed meanwhile. */
async function writeSettings(
  program: Program,
  settings: ProgramSettings,
  { extendedPublicKeys, bankAccount }: Partial<ProgramSettings>,
  actor: Actor,
): Promise<boolean> {
  const { programId, tenantId } = program;
  const keys = await import("./derivation-keys.ts");
  const faults = extendedPublicKeys ? keys.unfitKeys(extendedPublicKeys, changedKeys) : [];
  if (faults.length > 0) throw new ApiError("VALIDATION_FAILED", faults);
  // The stored settings of a Program may be from before the time zone was one of them.
  const older = { ...program.settings, timeZone: undefined } as unknown as ProgramSettings;
  const { formerTimeZones } = program;
  const isUnchanged = all<Program>(any<Program>({ settings: program.settings }, { settings: older }), {
    formerTimeZones,
  });
  const set = { settings, ...changedTimeZones(program, settings, actor.at) };
  const outcome = await transact([
    programs.at(programId).update({ set }, isUnchanged),
    ...(extendedPublicKeys ? keys.claimKeys(programId, extendedPublicKeys) : []),
    ...claimBankAccount(programId, bankAccount),
    auditPut(actor, {
      tenantId,
      programId,
      action: "program.settings.update",
      subjectId: programId,
      before: toSettingsView(program.settings),
      after: toSettingsView(settings),
    }),
  ]);
  if (outcome.committed) return true;
  const taken = [
    ...keys.takenKeys(outcome.failedConditions, changedKeys),
    ...takenBankAccount(outcome.failedConditions, "body"),
  ];
  if (taken.length > 0) throw new ApiError("VALIDATION_FAILED", taken);
  return false;
}

function changedTimeZones(
  { formerTimeZones = [], settings: { timeZone } }: Program,
  settings: ProgramSettings,
  until: string,
): Partial<Pick<Program, "formerTimeZones">> {
  if (settings.timeZone === timeZone) return {};
  return { formerTimeZones: [...formerTimeZones, { timeZone, until }] };
}
