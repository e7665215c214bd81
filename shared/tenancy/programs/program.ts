import * as z from "zod";
import { ProgramSettings } from "../../contract/account-programs.ts";
import { Currency } from "../../contract/enums.ts";
import { FundingLimits } from "../../contract/payouts.ts";
import { id, integerEnum, timestamp } from "../../contract/primitives.ts";
import { RateLimits } from "../../contract/rate-limits.ts";
import { defineEntity } from "../../platform/table/entity.ts";

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

/** The Program of a key that was authorized: it exists. */
export async function getProgram(programId: string): Promise<Program> {
  const program = await readProgram(programId);
  if (!program) throw new Error(`The Program ${programId} does not exist.`);
  return program;
}
