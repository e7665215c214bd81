import { isDeepStrictEqual } from "node:util";
import { type RateLimits, standardLimits } from "../../shared/contract/rate-limits.ts";
import { deadlineDelete, deadlinePut } from "../../shared/platform/deadlines/deadline.ts";
import { transact, type WriteAction } from "../../shared/platform/table/transact.ts";
import { CommandRefused } from "../../shared/tenancy/administration/command-refused.ts";
import { type Actor, auditPut } from "../../shared/tenancy/audit-log.ts";
import { type Program, programs } from "../../shared/tenancy/programs/program.ts";
import {
  applyRateLimits,
  createTenantUsageKey,
  limitsDeadline,
  rememberUsageKeys,
} from "../../shared/tenancy/usage/program-usage.ts";
import type { Command } from "./command.ts";
import { programOf } from "./program-of.ts";

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
