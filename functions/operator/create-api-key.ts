import { transact } from "../../shared/platform/table/transact.ts";
import { CommandRefused, requireCommitted } from "../../shared/tenancy/administration/command-refused.ts";
import { type KeyOfProgram, newApiUser } from "../../shared/tenancy/api-keys/api-user-change.ts";
import { readProgram } from "../../shared/tenancy/programs/program.ts";
import { ensureUsageKeys } from "../../shared/tenancy/usage/program-usage.ts";
import type { Command } from "./command.ts";

/**
 * Creates an API key: Program-level with a `programId`, else Tenant-level. The key itself leaves in the answer and is kept nowhere.
 * Each call makes another one.
 *
 * @throws CommandRefused when there is no such Tenant, or no such Program of it.
 */
export const createApiKey: Command<"create-api-key"> = async ({ tenantId, programId, name }, actor) => {
  const program = programId === undefined ? undefined : await keyed(tenantId, programId);
  const { user, apiKey, ownerExists, writes } = await newApiUser(tenantId, program, name, actor);
  requireCommitted(await transact([ownerExists, ...writes]));
  return { apiUserId: user.apiUserId, apiKey };
};

async function keyed(tenantId: string, programId: string): Promise<KeyOfProgram> {
  const program = await readProgram(programId);
  if (program?.tenantId !== tenantId) {
    throw new CommandRefused(`Program ${programId} of Tenant ${tenantId} does not exist.`);
  }
  await ensureUsageKeys(program);
  return { programId, currency: program.currency };
}
