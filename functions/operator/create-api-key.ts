import { environment } from "../../shared/environment.ts";
import { newId } from "../../shared/id.ts";
import { readProgram } from "../../shared/program/program.ts";
import { accountsKey } from "../../shared/table/keys.ts";
import { transact, type WriteAction } from "../../shared/table/transact.ts";
import { type ApiKey, type ApiUser, hashApiKey, newApiKey } from "../../shared/tenant/api-key.ts";
import { type Command, CommandRefused } from "./command.ts";
import { programExists, requireCommitted, tenantExists } from "./existence.ts";

/**
 * Creates an API key: Program-level with a `programId`, else Tenant-level. The key itself leaves in the answer and is kept nowhere.
 * Each call makes another one.
 *
 * @throws CommandRefused when there is no such Tenant, or no such Program of it.
 */
export const createApiKey: Command<"create-api-key"> = async ({ tenantId, programId, name }, audit) => {
  const apiUserId = newId("apiUser");
  const apiKey = newApiKey();
  const keyHash = await hashApiKey(apiKey);
  const common = { tenantId, apiUserId, name, createdAt: audit.at, createdBy: audit.by };
  const stored: ApiKey = programId
    ? { ...common, level: "program", programId, currency: await currencyOf(programId) }
    : { ...common, level: "tenant" };
  requireCommitted(
    await transact([
      programId ? programExists(tenantId, programId) : tenantExists(tenantId),
      put("api key", { ...accountsKey.apiKey(keyHash), ...stored }),
      put("api user", { ...accountsKey.apiUser(tenantId, apiUserId), ...userOf(stored, keyHash) }),
    ]),
  );
  return { apiUserId, apiKey };
};

async function currencyOf(programId: string) {
  const program = await readProgram(programId);
  if (!program) throw new CommandRefused(`Program ${programId} does not exist.`);
  return program.currency;
}

function userOf({ tenantId, apiUserId }: ApiKey, keyHash: string): ApiUser {
  return { tenantId, apiUserId, keyHash };
}

function put(name: string, Item: Record<string, unknown>): WriteAction {
  return {
    name,
    Put: {
      TableName: environment.accountsTable,
      Item,
      ConditionExpression: "attribute_not_exists(pk)",
    },
  };
}
