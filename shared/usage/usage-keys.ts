import {
  APIGatewayClient,
  BadRequestException,
  ConflictException,
  CreateApiKeyCommand,
  CreateUsagePlanKeyCommand,
  DeleteUsagePlanKeyCommand,
  paginateGetApiKeys,
  paginateGetUsagePlans,
} from "@aws-sdk/client-api-gateway";
import { type UsagePlan, usagePlanName, usagePlans } from "../contract/rate-limits.ts";
import { environment } from "../environment.ts";

/** The one client of API Gateway's own administration, which takes a few calls a second: more attempts than elsewhere. */
const gateway = new APIGatewayClient({
  maxAttempts: 6,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000 },
});

/** The plans of each usage key, by its name: of a stage at most one. */
export type PlansOfKey = ReadonlyMap<string, readonly UsagePlan[]>;

/**
 * Makes usage keys, each in its plans. One that is in another plan of a stage already stays there; what ended half-way is completed by a repetition.
 *
 * @throws Error where the environment has no such plan, or the account as many keys as it may have.
 */
export async function createUsageKeys(plansOfKey: PlansOfKey): Promise<void> {
  await each(plansOfKey, async (keyId, planIds) => {
    for (const planId of planIds) {
      const refusal = await add(keyId, planId);
      if (refusal && (await planIdsOf(keyId)).length === 0) throw refusal;
    }
  });
}

/**
 * Makes usage keys where they are missing, and moves those that are in another plan: between the two the gateway does not know the key for a
 * moment.
 *
 * @throws Error as `createUsageKeys`, and where somebody else moves a key meanwhile
 */
export async function assignUsageKeys(plansOfKey: PlansOfKey): Promise<void> {
  await each(plansOfKey, assign);
}

/** One after the other: API Gateway takes a few such calls a second, and nothing goes on once one has failed. */
async function each(
  plansOfKey: PlansOfKey,
  put: (keyId: string, planIds: readonly string[]) => Promise<void>,
): Promise<void> {
  const known = await readPlans();
  for (const [name, plans] of plansOfKey) {
    const planIds = plans
      .filter((plan) => plan !== "sandbox" || known.has(plan))
      .map((plan) => known.get(plan));
    if (!planIds.every((id) => id !== undefined))
      throw new Error(`There is no usage plan ${plans.join(", ")}.`);
    await put((await createKey(name)) ?? (await findKey(name)), planIds);
  }
}

/** The key's id; undefined where there is such a key. */
async function createKey(name: string): Promise<string | undefined> {
  try {
    const { id } = await gateway.send(new CreateApiKeyCommand({ name, value: name, enabled: true }));
    return id;
  } catch (error) {
    if (error instanceof ConflictException) return undefined;
    throw error;
  }
}

async function findKey(name: string): Promise<string> {
  for await (const { items = [] } of paginateGetApiKeys({ client: gateway }, { nameQuery: name })) {
    const id = items.find((key) => key.name === name)?.id;
    if (id !== undefined) return id;
  }
  throw new Error(`The usage key ${name} is neither new nor there.`);
}

async function assign(keyId: string, planIds: readonly string[]): Promise<void> {
  for (const planId of planIds) {
    if (!(await add(keyId, planId))) continue;
    const found = await planIdsOf(keyId);
    if (found.includes(planId)) continue;
    for (const usagePlanId of found.filter((id) => !planIds.includes(id))) {
      await gateway.send(new DeleteUsagePlanKeyCommand({ usagePlanId, keyId }));
    }
    const refusal = await add(keyId, planId);
    if (refusal) throw refusal;
  }
}

/** Why the key could not be added: as where it is in this plan already, or in another of the same stage. */
async function add(keyId: string, usagePlanId: string): Promise<Error | undefined> {
  try {
    await gateway.send(new CreateUsagePlanKeyCommand({ usagePlanId, keyId, keyType: "API_KEY" }));
    return undefined;
  } catch (error) {
    if (error instanceof ConflictException || error instanceof BadRequestException) return error;
    throw error;
  }
}

async function planIdsOf(keyId: string): Promise<string[]> {
  const ids: (string | undefined)[] = [];
  for await (const { items = [] } of paginateGetUsagePlans({ client: gateway }, { keyId })) {
    ids.push(...items.map(({ id }) => id));
  }
  return ids.filter((id) => id !== undefined);
}

/** The ids of the environment's plans: read each time, since a deployment may have made them anew. */
async function readPlans(): Promise<ReadonlyMap<UsagePlan, string>> {
  const planOf = new Map(usagePlans.map((plan) => [usagePlanName(environment.name, plan), plan]));
  const ids = new Map<UsagePlan, string>();
  for await (const { items = [] } of paginateGetUsagePlans({ client: gateway, pageSize: 500 }, {})) {
    for (const { id, name } of items) {
      const plan = planOf.get(name ?? "");
      if (plan !== undefined && id !== undefined) ids.set(plan, id);
    }
  }
  return ids;
}
