import * as z from "zod";
import {
  ProgramSettings,
  type ProgramSettingsView,
  type ProgramView,
} from "../../contract/account-programs.ts";
import { Currency, type FeeType } from "../../contract/enums.ts";
import { FundingLimits } from "../../contract/payouts.ts";
import { id, integerEnum, timestamp } from "../../contract/primitives.ts";
import { RateLimits } from "../../contract/rate-limits.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import type { WriteAction } from "../../platform/table/transact.ts";

/** A Program of a Tenant. Its currency is set at creation and never changes. */
export const Program = z.object({
  programId: id("program"),
  tenantId: id("tenant"),
  name: z.string(),
  currency: integerEnum(Currency),
  settings: ProgramSettings,
  /** Its time zones before `settings.timeZone`, the oldest first: the months of statements stay. */
  formerTimeZones: z
    .array(z.object({ timeZone: z.string(), until: timestamp }))
    .readonly()
    .optional(),
  /** Its collecting accounts before `settings.bankAccount`, while nobody else can have them. */
  formerBankAccounts: z
    .array(z.object({ bankAccount: z.string(), heldUntil: timestamp }))
    .readonly()
    .optional(),
  /** The operator's rate tiers; standard if absent. */
  rateLimits: RateLimits.optional(),
  /** The operator's limits of bank payments: they bound the settings. */
  fundingLimits: FundingLimits.optional(),
  /** When the gateway got its usage keys. */
  usageKeysAt: timestamp.optional(),
  /** The Wallet that was created with the Program. */
  defaultWalletId: id("wallet"),
  createdAt: timestamp,
  /** The API user or operator that created it. */
  createdBy: z.string(),
});
export type Program = z.output<typeof Program>;

export const programs = defineEntity({
  name: "program",
  table: "accounts",
  schema: Program,
  key: (programId: string) => ({ pk: programId, sk: "PROGRAM" }),
});

export function readProgram(programId: string): Promise<Program | undefined> {
  return programs.at(programId).get();
}

/** @throws ApiError NOT_FOUND, also for another Tenant's Program */
export async function getTenantProgram(tenantId: string, programId: string): Promise<Program> {
  const program = await readProgram(programId);
  if (program?.tenantId !== tenantId) throw new ApiError("NOT_FOUND");
  return program;
}

export function toProgramView(program: Program): ProgramView {
  const { programId, name, currency, defaultWalletId: walletId, createdAt: dateCreated } = program;
  return { programId, name, currency, walletId, dateCreated };
}

export function toSettingsView({ cardBin, moreBins, ...settings }: ProgramSettings): ProgramSettingsView {
  const { autoRenew = false, renewalReminder = false } = settings;
  return { ...settings, autoRenew, renewalReminder, bins: programBins({ cardBin, moreBins }) };
}

/** With which a Card can be issued; the first one is the default. */
export function programBins({ cardBin, moreBins = [] }: Pick<ProgramSettings, "cardBin" | "moreBins">) {
  return [cardBin, ...moreBins];
}

/** The Program of a key that was authorized: it exists. */
export async function getProgram(programId: string): Promise<Program> {
  const program = await readProgram(programId);
  if (!program) throw new Error(`The Program ${programId} does not exist.`);
  return program;
}

/** The condition that the Program exists and is this Tenant's. Its name says what is missing. */
export function programExists(tenantId: string, programId: string): WriteAction {
  return {
    ...programs.at(programId).check({ tenantId }),
    name: `Program ${programId} of Tenant ${tenantId}`,
  };
}

/**
 * Minor units: fixed amount plus share of the moved amount, rounded to the nearest unit. 0 if the
 * schedule does not name the fee.
 */
export function scheduledFeeMinor(
  { feeSchedule }: Pick<ProgramSettings, "feeSchedule">,
  feeType: FeeType,
  movedMinor = 0,
): number {
  const charge = feeSchedule.find((one) => one.feeType === feeType);
  return charge ? charge.amount + Math.round((movedMinor * charge.basisPoints) / 10_000) : 0;
}
