import { isDeepStrictEqual } from "node:util";
import { type RateLimits, standardLimits } from "../../shared/contract/rate-limits.ts";
import { defaultWalletPut } from "../../shared/domain/wallets/wallet.ts";
import { deadlineDelete, deadlinePut } from "../../shared/platform/deadlines/deadline.ts";
import { transact, type WriteAction } from "../../shared/platform/table/transact.ts";
import { CommandRefused, requireCommitted } from "../../shared/tenancy/administration/command-refused.ts";
import { type Actor, auditPut } from "../../shared/tenancy/audit-log.ts";
import { createProgram as createProgramOf } from "../../shared/tenancy/programs/new-program.ts";
import { type Program, programs } from "../../shared/tenancy/programs/program.ts";
import { updateSettings } from "../../shared/tenancy/programs/program-settings.ts";
import {
  applyRateLimits,
  createTenantUsageKey,
  limitsDeadline,
  rememberUsageKeys,
} from "../../shared/tenancy/usage/program-usage.ts";
import type { Command } from "./command.ts";
import { programOf } from "./command.ts";

/**
 * Creates a Program of the Tenant, with its first Wallet. Each call makes another one.
 *
 * @throws CommandRefused when there is no such Tenant, or an extended public key has a slip in it or is another Program's
 */
export const createProgram: Command<"create-program"> = async (input, actor) => {
  const { program, outcome } = await createProgramOf(input, actor, defaultWalletPut);
  requireCommitted(outcome);
  return { programId: program.programId, walletId: program.defaultWalletId };
};

/**
 * Sets the tier of any kind of a Program's requests. The gateway follows within seconds, in which requests may be answered 503. What ends
 * half-way is completed by a repetition, which brings back the Tenant's own key too, or by the deadline that was written with the limits.
 *
 * @throws CommandRefused when there is no such Program, or somebody else sets its limits at the same time
 */
export const setRateLimits: Command<"set-rate-limits"> = async ({ programId, ...tiers }, actor) => {
  const program = await programOf(programId);
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
  await rememberUsageKeys(program);
  await transact([deadlineDelete(programId, deadline.deadlineId)]);
  return { programId, rateLimits };
};

async function write({ programId }: Program, writes: readonly WriteAction[]): Promise<void> {
  const { committed } = await transact(writes);
  if (!committed) throw new CommandRefused(`The limits of ${programId} were set by somebody else just now.`);
}

function limitWrites(program: Program, rateLimits: RateLimits, actor: Actor): WriteAction[] {
  const { programId, tenantId, rateLimits: found } = program;
  return [
    programs.at(programId).update({ set: { rateLimits } }, { rateLimits: found }),
    auditPut(
      {
        tenantId,
        programId,
        action: "program.rate-limits.update",
        subjectId: programId,
        before: found ?? standardLimits,
        after: rateLimits,
      },
      actor,
    ),
  ];
}

/**
 * Sets how long a Program's bank deposits stay pending where the environment has a sandbox. Deposits that are pending
 * keep the time that they were given.
 *
 * @throws CommandRefused when there is no such Program
 */
export const setClearingDelay: Command<"set-clearing-delay"> = async ({ programId, seconds }, actor) => {
  const { tenantId } = await programOf(programId);
  await updateSettings(tenantId, programId, { clearingDelaySeconds: seconds }, actor);
  return { programId, seconds };
};
