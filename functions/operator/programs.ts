import { isDeepStrictEqual } from "node:util";
import type { FundingLimits } from "../../shared/contract/payouts.ts";
import { type RateLimits, standardLimits } from "../../shared/contract/rate-limits.ts";
import { deadlineDelete, deadlinePut } from "../../shared/platform/deadlines.ts";
import { transact, type WriteAction } from "../../shared/platform/table/transact.ts";
import { CommandRejected, requireCommitted } from "../../shared/tenancy/administration/command-rejected.ts";
import { type Actor, auditProgram } from "../../shared/tenancy/audit-log.ts";
import { toBinSettings } from "../../shared/tenancy/programs/bins.ts";
import { type Program, programs } from "../../shared/tenancy/programs/program.ts";
import { addProgram, changeSettings } from "../../shared/tenancy/programs/program-change.ts";
import {
  applyRateLimits,
  createTenantUsageKey,
  limitsDeadline,
  recordUsageKeys,
} from "../../shared/tenancy/usage/program-usage.ts";
import { defaultWalletPut } from "../../shared/wallets/wallet.ts";
import { type Command, requireProgram } from "./command.ts";

/**
 * Each call creates another Program.
 * @throws CommandRejected if the Tenant does not exist, or an extended public key is invalid or
 * another Program's
 */
export const createProgram: Command<"create-program"> = async (input, actor) => {
  const { program, outcome } = await addProgram(input, actor, defaultWalletPut);
  requireCommitted(outcome);
  return { programId: program.programId, walletId: program.defaultWalletId };
};

/**
 * The gateway follows within seconds and may answer 503 meanwhile. A repetition, or the deadline,
 * finishes an interrupted command; a repetition also restores the Tenant's own key.
 * @throws CommandRejected if the Program does not exist, or another command sets its limits
 */
export const setRateLimits: Command<"set-rate-limits"> = async ({ programId, ...tiers }, actor) => {
  const program = await requireProgram(programId);
  const { rateLimits: before = standardLimits } = program;
  const rateLimits: RateLimits = { ...before, ...tiers };
  const deadline = limitsDeadline(programId);
  const isChanged = !isDeepStrictEqual(rateLimits, before);
  await write(program, [
    deadlinePut(deadline),
    ...(isChanged ? limitWrites(program, rateLimits, actor) : []),
  ]);
  await applyRateLimits(programId);
  await createTenantUsageKey(program.tenantId);
  await recordUsageKeys(program);
  await transact([deadlineDelete(programId, deadline.deadlineId)]);
  return { programId, rateLimits };
};

async function write({ programId }: Program, writes: readonly WriteAction[]): Promise<void> {
  const { committed } = await transact(writes);
  if (!committed)
    throw new CommandRejected(`Another command has just changed the limits of ${programId}: repeat it.`);
}

function limitWrites(program: Program, rateLimits: RateLimits, actor: Actor): WriteAction[] {
  const { programId, rateLimits: found } = program;
  return [
    programs.at(programId).update({ set: { rateLimits } }, { rateLimits: found }),
    auditProgram(actor, program, "program.rate-limits.update", {
      before: found ?? standardLimits,
      after: rateLimits,
    }),
  ];
}

/**
 * The settings that are above stay, and count as the limit.
 * @throws CommandRejected if the Program does not exist, or another command sets its limits
 */
export const setFundingLimits: Command<"set-funding-limits"> = async ({ programId, ...given }, actor) => {
  const program = await requireProgram(programId);
  const { fundingLimits: before } = program;
  const fundingLimits: FundingLimits = { ...before, ...given };
  if (isDeepStrictEqual(fundingLimits, before)) return { programId, fundingLimits };
  await write(program, [
    programs.at(programId).update({ set: { fundingLimits } }, { fundingLimits: before }),
    auditProgram(actor, program, "program.funding-limits.update", {
      before: before ?? null,
      after: fundingLimits,
    }),
  ]);
  return { programId, fundingLimits };
};

/**
 * Delays bank deposits where the environment has a sandbox. Deposits already pending keep their
 * delay.
 * @throws CommandRejected if the Program does not exist
 */
export const setClearingDelay: Command<"set-clearing-delay"> = async ({ programId, seconds }, actor) => {
  const { tenantId } = await requireProgram(programId);
  await changeSettings(tenantId, programId, { clearingDelaySeconds: seconds }, actor);
  return { programId, seconds };
};

/**
 * The other BINs stay.
 * @throws CommandRejected if the Program does not exist, or the BIN is another Program's
 */
export const setCardBin: Command<"set-card-bin"> = async ({ programId, cardBin }, actor) => {
  const { tenantId, settings } = await requireProgram(programId);
  const others = (settings.moreBins ?? []).filter((bin) => bin !== cardBin);
  await changeSettings(tenantId, programId, toBinSettings([cardBin, ...others], settings), actor);
  return { programId, cardBin };
};

/** @throws CommandRejected if the Program does not exist, or a BIN is another Program's */
export const setBins: Command<"set-bins"> = async ({ programId, bins }, actor) => {
  const { tenantId, settings } = await requireProgram(programId);
  await changeSettings(tenantId, programId, toBinSettings(bins, settings), actor);
  return { programId, bins };
};
