import {
  APIGatewayClient,
  BadRequestException,
  ConflictException,
  CreateApiKeyCommand,
  CreateUsagePlanKeyCommand,
  DeleteUsagePlanKeyCommand,
  NotFoundException,
  paginateGetApiKeys,
  paginateGetUsagePlans,
  type UsagePlan as StoredPlan,
} from "@aws-sdk/client-api-gateway";
import { type UsagePlan, usagePlanName, usagePlans } from "../../contract/rate-limits.ts";
import { environment } from "../../platform/environment.ts";
import { requestLimits } from "../../platform/request-limits.ts";
import { Conflict, repeat } from "../../platform/table/retry.ts";

/**
 * The one client of API Gateway's own administration, which takes a few calls a second: more
 * attempts than elsewhere.
 */
export const gateway = new APIGatewayClient({
  maxAttempts: 6,
  requestHandler: requestLimits(5_000),
});

/** The plans of each usage key, by its name: of a stage at most one. */
export type PlansOfKey = ReadonlyMap<string, readonly UsagePlan[]>;

/** A usage plan as API Gateway has it. A key is in at most one plan of a stage. */
interface GatewayPlan {
  readonly id: string;
  readonly stages: readonly string[];
}

/**
 * A key that is in another plan of the stage stays there. A repetition completes an interrupted
 * run.
 * @throws Error if the environment lacks a plan, or the account has its maximum of keys
 */
export function createUsageKeys(plansOfKey: PlansOfKey): Promise<void> {
  return putKeys(plansOfKey, (other, plan) => other.id === plan.id || overlap(other, plan));
}

/**
 * Creates missing keys and moves those in another plan. Between the two steps of a move the gateway
 * does not know the key: the caller must ensure a repetition.
 * @throws Error as `createUsageKeys`
 */
export function assignUsageKeys(plansOfKey: PlansOfKey): Promise<void> {
  return putKeys(plansOfKey, (other, plan) => other.id === plan.id);
}

/** What is in the way of a plan that no other one stands for is left first. */
function putKeys(
  plansOfKey: PlansOfKey,
  standsFor: (other: GatewayPlan, plan: GatewayPlan) => boolean,
): Promise<void> {
  return forEachKey(plansOfKey, (keyId, wanted) =>
    reconcile(keyId, (found) => {
      const missing = wanted.filter((plan) => !found.some((other) => standsFor(other, plan)));
      return missing.map((plan) => async () => {
        for (const other of found.filter((one) => overlap(one, plan))) await remove(keyId, other);
        await add(keyId, plan);
      });
    }),
  );
}

function overlap(one: GatewayPlan, other: GatewayPlan): boolean {
  return one.stages.some((stage) => other.stages.includes(stage));
}

/**
 * One after the other: API Gateway takes a few such calls a second, and nothing goes on once one
 * has failed.
 */
async function forEachKey(
  plansOfKey: PlansOfKey,
  put: (keyId: string, plans: readonly GatewayPlan[]) => Promise<void>,
): Promise<void> {
  const known = await readPlans();
  for (const [name, plans] of plansOfKey) {
    const wanted = plans
      .filter((plan) => plan !== "sandbox" || known.has(plan))
      .map((plan) => known.get(plan));
    if (!wanted.every((plan) => plan !== undefined))
      throw new Error(`There is no usage plan ${plans.join(", ")}.`);
    await put(await ensureKey(name), wanted);
  }
}

/**
 * Creates the key if it does not exist. API Gateway answers 409 to duplicates and to concurrent
 * changes: only a look at the keys shows which.
 */
async function ensureKey(name: string): Promise<string> {
  let conflict: unknown;
  const { result } = await repeat(async () => {
    try {
      const { id } = await gateway.send(new CreateApiKeyCommand({ name, value: name, enabled: true }));
      if (id !== undefined) return id;
    } catch (error) {
      if (!(error instanceof ConflictException)) throw error;
      conflict = error;
      const id = await findKey(name);
      if (id !== undefined) return id;
    }
    return new Conflict(name);
  });
  if (result instanceof Conflict)
    throw conflict ?? new Error(`API Gateway gave the usage key ${name} no id.`);
  return result;
}

async function findKey(name: string): Promise<string | undefined> {
  for await (const { items = [] } of paginateGetApiKeys({ client: gateway }, { nameQuery: name })) {
    const id = items.find((key) => key.name === name)?.id;
    if (id !== undefined) return id;
  }
  return undefined;
}

/** After these errors the key's plans are read again: the call may have taken effect. */
const retriedErrors = [ConflictException, BadRequestException, NotFoundException];

/**
 * Takes steps until the key's plans ask for no more: only what was seen counts, whatever the call
 * answered.
 */
async function reconcile(
  keyId: string,
  stepsFrom: (found: readonly GatewayPlan[]) => readonly (() => Promise<void>)[],
): Promise<void> {
  let lastError: unknown;
  const { result } = await repeat(
    async () => {
      const steps = stepsFrom(await readKeyPlans(keyId));
      if (steps.length === 0) return undefined;
      for (const step of steps) {
        try {
          await step();
        } catch (error) {
          if (!retriedErrors.some((kind) => error instanceof kind)) throw error;
          lastError = error;
        }
      }
      return new Conflict(keyId);
    },
    { firstAtOnce: true },
  );
  if (result) throw new Error(`The usage key ${keyId} did not get into its plans.`, { cause: lastError });
}

async function add(keyId: string, { id: usagePlanId }: GatewayPlan): Promise<void> {
  await gateway.send(new CreateUsagePlanKeyCommand({ usagePlanId, keyId, keyType: "API_KEY" }));
}

async function remove(keyId: string, { id: usagePlanId }: GatewayPlan): Promise<void> {
  await gateway.send(new DeleteUsagePlanKeyCommand({ usagePlanId, keyId }));
}

async function readKeyPlans(keyId: string): Promise<GatewayPlan[]> {
  const plans: GatewayPlan[] = [];
  for await (const { items = [] } of paginateGetUsagePlans({ client: gateway }, { keyId })) {
    plans.push(...items.flatMap(toGatewayPlan));
  }
  return plans;
}

/** The environment's plans: read each time, since a deployment may have made them anew. */
export async function readPlans(): Promise<ReadonlyMap<UsagePlan, GatewayPlan>> {
  const plansByName = new Map(usagePlans.map((plan) => [usagePlanName(environment.name, plan), plan]));
  const known = new Map<UsagePlan, GatewayPlan>();
  for await (const { items = [] } of paginateGetUsagePlans({ client: gateway, pageSize: 500 }, {})) {
    for (const item of items) {
      const name = plansByName.get(item.name ?? "");
      const [plan] = toGatewayPlan(item);
      if (name !== undefined && plan !== undefined) known.set(name, plan);
    }
  }
  return known;
}

function toGatewayPlan({ id, apiStages = [] }: StoredPlan): GatewayPlan[] {
  const stages = apiStages.map(({ apiId, stage }) => `${apiId}/${stage}`);
  return id === undefined ? [] : [{ id, stages }];
}
