import { isDeepStrictEqual } from "node:util";
import { CommandRefused } from "../../shared/administration/command-refused.ts";
import { type RateLimits, standardLimits } from "../../shared/contract/rate-limits.ts";
import { environment } from "../../shared/environment.ts";
import type { Program } from "../../shared/program/program.ts";
import { accountsKey } from "../../shared/table/keys.ts";
import { transact } from "../../shared/table/transact.ts";
import { type Actor, auditPut } from "../../shared/tenant/audit.ts";
import { applyRateLimits } from "../../shared/usage/program-usage.ts";
import type { Command } from "./command.ts";
import { programOf } from "./program-of.ts";

/**
 * Sets the tier of any kind of a Program's requests. It is written down first and then told to the gateway, so that a repetition completes what
 * ended half-way; it takes effect within seconds, in which requests may be answered 503.
 *
 * @throws CommandRefused when there is no such Program, or somebody else sets its limits at the same time
 */
export const setRateLimits: Command<"set-rate-limits"> = async ({ programId, ...tiers }, actor) => {
  const program = await programOf(programId);
  const { rateLimits: before = standardLimits } = program;
  const rateLimits: RateLimits = { ...before, ...tiers };
  if (!isDeepStrictEqual(rateLimits, before)) await write(program, rateLimits, actor);
  await applyRateLimits({ ...program, rateLimits });
  return { programId, rateLimits };
};

async function write(program: Program, rateLimits: RateLimits, actor: Actor): Promise<void> {
  const { programId, tenantId, rateLimits: found } = program;
  const { committed } = await transact([
    {
      name: "rate limits",
      Update: {
        TableName: environment.accountsTable,
        Key: accountsKey.program(programId),
        UpdateExpression: "SET rateLimits = :limits",
        ConditionExpression: found ? "rateLimits = :found" : "attribute_not_exists(rateLimits)",
        ExpressionAttributeValues: { ":limits": rateLimits, ...(found && { ":found": found }) },
      },
    },
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
  ]);
  if (!committed) throw new CommandRefused(`The limits of ${programId} were set by somebody else just now.`);
}
