import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { NewProgramSettings, type ProgramSettings, ProgramView } from "../../contract/account-programs.ts";
import type { Currency } from "../../contract/enums.ts";
import type { Fault } from "../../contract/errors.ts";
import { nextChangesWalk } from "../../lists/compaction.ts";
import { deadlinePut } from "../../platform/deadlines.ts";
import { ApiError, invalid } from "../../platform/http/api-error.ts";
import { newId } from "../../platform/id.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { Conflict, retry } from "../../platform/table/retry.ts";
import { type TransactionOutcome, transact, type WriteAction } from "../../platform/table/transact.ts";
import { type Actor, auditProgram } from "../audit-log.ts";
import { tenantExists } from "../tenant.ts";
import { changeBankAccount, takenBankAccount, withoutBankAccount } from "./bank-account.ts";
import { claimBins, programBins, takenBins } from "./bins.ts";
import { expiryWatchWrites } from "./expiry-watch.ts";
import { type Program, programs } from "./program.ts";
import { getTenantProgram, toProgramView, toSettingsView } from "./tenant-program.ts";

/** Only the platform sets these; a Tenant's Program gets the standard ones. */
type PlatformSettings = Pick<NewProgramSettings, "cardBin" | "moreBins" | "clearingDelaySeconds">;
type RequestedSettings = Omit<NewProgramSettings, keyof PlatformSettings> & Partial<PlatformSettings>;

interface ProgramRequest {
  readonly tenantId: string;
  readonly name: string;
  readonly currency: Currency;
  readonly settings: RequestedSettings;
}

export const programsOfTenant = defineEntity({
  name: "program of the Tenant",
  table: "accounts",
  schema: z.object({ ...ProgramView.shape, createdAt: z.string() }),
  key: (tenantId: string, programId: string) => ({ pk: tenantId, sk: `PROGRAM#${programId}` }),
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
  const bins = await claimFreeBins(programId, programBins(settings), "body.settings.cardBin");
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
  const first = { ...settings, bankAccount: undefined };
  const after = { name, currency, walletId: program.defaultWalletId, settings: toSettingsView(settings) };
  const outcome = await transact([
    tenantExists(tenantId),
    programs.at(programId).create(program),
    programsOfTenant.at(tenantId, programId).put({ ...toProgramView(program), createdAt: actor.at }),
    walletWrite(program),
    deadlinePut(nextChangesWalk(programId, new Date(actor.at))),
    ...expiryWatchWrites(programId, undefined, settings, actor.at),
    ...claims,
    ...bins,
    ...changeBankAccount({ programId, settings: first }, settings.bankAccount, "body.settings").writes,
    auditProgram(actor, program, "program.create", { before: null, after }),
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

/** @throws ApiError VALIDATION_FAILED for one that is another Program's */
async function claimFreeBins(programId: string, bins: readonly string[], path: string) {
  const { writes, taken } = await claimBins(programId, bins);
  if (taken.length > 0) throw new ApiError("VALIDATION_FAILED", takenBins(taken, path));
  return writes;
}

const requestedKeys = "body.settings.extendedPublicKeys";

/** Imports the curves on demand: they would slow every cold start. */
async function settingsWithKeys(programId: string, requested: RequestedSettings) {
  const { claimKeys, custodyKeys, takenKeys, unfitKeys } = await import("./derivation-keys.ts");
  const { extendedPublicKeys: own, ...others } = requested;
  const faults = own ? unfitKeys(own, requestedKeys) : [];
  if (faults.length > 0) throw new ApiError("VALIDATION_FAILED", faults);
  const extendedPublicKeys = own ?? custodyKeys(programId);
  if (!extendedPublicKeys) throw invalid(requestedKeys, "required", "is required");
  const settings = { ...NewProgramSettings.parse(others), extendedPublicKeys };
  return { settings, claims: claimKeys(programId, extendedPublicKeys), takenKeys };
}

/**
 * Requires the settings as read, since the audit log records them. Unchanged values are no change.
 * `readTaken`: the Program that loses the bank account. `moreWrites`: what goes with the change.
 * @throws ApiError NOT_FOUND; VALIDATION_FAILED for an extended public key that is invalid or
 * another Program's, and for payouts above the operator's limits
 */
export function changeSettings(
  tenantId: string,
  programId: string,
  update: Partial<ProgramSettings>,
  actor: Actor,
  {
    readTaken = async () => undefined,
    moreWrites = async () => [],
  }: {
    readonly readTaken?: () => Promise<Program | undefined>;
    readonly moreWrites?: MoreWrites;
  } = {},
): Promise<ProgramSettings> {
  return retry(async () => {
    const program = await getTenantProgram(tenantId, programId);
    const settings: ProgramSettings = { ...program.settings, ...update };
    if (isDeepStrictEqual(settings, program.settings)) return settings;
    const above = aboveLimits(update, program);
    if (above.length > 0) throw new ApiError("VALIDATION_FAILED", above);
    const others = { taken: await readTaken(), writes: await moreWrites(program.settings, settings) };
    const isWritten = await writeSettings(program, settings, update, actor, others);
    return isWritten ? settings : new Conflict("settings");
  });
}

/** The operator bounds what a Program may pay out and pull, and how soon it has what it pulls. */
function aboveLimits(
  { payouts = {}, pulls = {} }: Pick<Partial<ProgramSettings>, "payouts" | "pulls">,
  { fundingLimits }: Program,
): Fault[] {
  const { holdDays: least, ...bounds } = fundingLimits?.pulls ?? {};
  const { holdDays = least } = pulls;
  const isSooner = least !== undefined && holdDays !== undefined && holdDays < least;
  const message = `must not be less than ${least}`;
  return [
    ...aboveBounds("payouts", payouts, fundingLimits?.payouts ?? {}),
    ...aboveBounds("pulls", pulls, bounds),
    ...(isSooner ? [{ path: "body.pulls.holdDays", code: "too_small", message }] : []),
  ];
}

type Amounts = Readonly<Record<string, number | undefined>>;

function aboveBounds(group: string, values: Amounts, bounds: Amounts): Fault[] {
  return Object.entries(bounds).flatMap(([name, bound]) => {
    const value = values[name];
    if (value === undefined || bound === undefined || value <= bound) return [];
    return [{ path: `body.${group}.${name}`, code: "too_big", message: `must not be more than ${bound}` }];
  });
}

const changedKeys = "body.extendedPublicKeys";

/** What else is written with changed settings. Its failed conditions are tried again. */
type MoreWrites = (before: ProgramSettings, after: ProgramSettings) => Promise<readonly WriteAction[]>;

/** False if the settings changed meanwhile. */
async function writeSettings(
  program: Program,
  settings: ProgramSettings,
  { extendedPublicKeys, bankAccount, cardBin }: Partial<ProgramSettings>,
  actor: Actor,
  { taken, writes }: { readonly taken: Program | undefined; readonly writes: readonly WriteAction[] },
): Promise<boolean> {
  const { programId } = program;
  const keys = await import("./derivation-keys.ts");
  const faults = extendedPublicKeys ? keys.unfitKeys(extendedPublicKeys, changedKeys) : [];
  if (faults.length > 0) throw new ApiError("VALIDATION_FAILED", faults);
  const bins =
    cardBin === undefined ? [] : await claimFreeBins(programId, programBins(settings), "body.bins");
  const account = changeBankAccount(program, bankAccount, "body", taken?.programId);
  const set = { settings, ...changedTimeZones(program, settings, actor.at), ...account.set };
  const left = taken && bankAccount !== undefined ? withoutBankAccount(taken, bankAccount) : undefined;
  const outcome = await transact([
    ...settingsWrites(program, set, actor),
    ...expiryWatchWrites(programId, program.settings, settings, actor.at),
    ...(extendedPublicKeys ? keys.claimKeys(programId, extendedPublicKeys) : []),
    ...bins,
    ...account.writes,
    ...writes,
    ...(taken && left ? settingsWrites(taken, left, actor) : []),
  ]);
  if (outcome.committed) return true;
  const inUse = [
    ...keys.takenKeys(outcome.failedConditions, changedKeys),
    ...takenBankAccount(outcome.failedConditions, "body"),
  ];
  if (inUse.length > 0 && taken === undefined) throw new ApiError("VALIDATION_FAILED", inUse);
  return false;
}

/** Requires them as read. */
export function settingsWrites(
  program: Program,
  set: Partial<Program> & Pick<Program, "settings">,
  actor: Actor,
): WriteAction[] {
  const { programId, formerTimeZones, formerBankAccounts, settings } = program;
  return [
    programs.at(programId).update({ set }, { settings, formerTimeZones, formerBankAccounts }),
    auditProgram(actor, program, "program.settings.update", {
      before: toSettingsView(settings),
      after: toSettingsView(set.settings),
    }),
  ];
}

function changedTimeZones(
  { formerTimeZones = [], settings: { timeZone } }: Program,
  settings: ProgramSettings,
  until: string,
): Partial<Pick<Program, "formerTimeZones">> {
  if (settings.timeZone === timeZone) return {};
  return { formerTimeZones: [...formerTimeZones, { timeZone, until }] };
}
