import { z } from "zod";
import type { StateFile } from "../files.ts";
import { type Clock, ServiceError } from "../interfaces.ts";
import { randomBytes } from "../randomness.ts";
import { type Assembly, readProperties } from "../template.ts";

const PlanProperties = z.object({
  UsagePlanName: z.string(),
  ApiStages: z.array(z.object({ ApiId: z.string(), Stage: z.string() })),
  Throttle: z.strictObject({ RateLimit: z.number().positive(), BurstLimit: z.number().int().positive() }),
});

export interface BucketRules {
  ratePerSecond: number;
  burst: number;
}

export interface UsagePlan extends BucketRules {
  id: string;
  name: string;
  stages: { apiId: string; stage: string }[];
}

export interface UsageKey {
  id: string;
  name: string;
  value: string;
  createdAtSeconds: number;
  planIds: string[];
}

/** `throttled`: over the plan's limit. `unknown`: no plan of this stage contains the key. */
export type Admission = "admitted" | "throttled" | "unknown";

export function readUsagePlans(assembly: Assembly): UsagePlan[] {
  return assembly.ofType("AWS::ApiGateway::UsagePlan").map((resource) => {
    const { UsagePlanName, ApiStages, Throttle } = readProperties(resource, PlanProperties);
    return {
      id: resource.physicalName,
      name: UsagePlanName,
      stages: ApiStages.map(({ ApiId, Stage }) => ({ apiId: ApiId, stage: Stage })),
      ratePerSecond: Throttle.RateLimit,
      burst: Throttle.BurstLimit,
    };
  });
}

/** Counts like API Gateway's throttles: each request takes a token, and tokens return steadily. */
export class TokenBucket {
  readonly #rules: BucketRules;
  #tokens: number;
  #filledAtMs: number;

  constructor(rules: BucketRules, nowMs: number) {
    this.#rules = rules;
    this.#tokens = rules.burst;
    this.#filledAtMs = nowMs;
  }

  take(nowMs: number): boolean {
    const { ratePerSecond, burst } = this.#rules;
    const elapsedMs = Math.max(0, nowMs - this.#filledAtMs);
    this.#tokens = Math.min(burst, this.#tokens + (elapsedMs * ratePerSecond) / 1000);
    this.#filledAtMs += elapsedMs;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}

type UsageClock = Pick<Clock, "now"> & { readonly isHeld?: boolean };

/**
 * API Gateway's usage plans and keys, which survive restarts. Requests count over all stages of a
 * plan, in real time: moving the virtual clock adds no tokens, unless it is held.
 */
export class UsagePlans {
  readonly plans: readonly UsagePlan[];
  readonly #keys: UsageKey[];
  readonly #state: StateFile<UsageKey[]>;
  readonly #clock: UsageClock;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(plans: readonly UsagePlan[], state: StateFile<UsageKey[]>, clock: UsageClock) {
    this.plans = plans;
    this.#clock = clock;
    this.#state = state;
    const isPlan = (planId: string) => plans.some(({ id }) => id === planId);
    this.#keys = state.read([]).map((key) => ({ ...key, planIds: key.planIds.filter(isPlan) }));
  }

  admit(value: string | undefined, apiId: string, stage: string): Admission {
    const key = this.#keys.find((each) => each.value === value);
    const plan = this.findPlans(key).find((each) => isOn(each, apiId, stage));
    if (key === undefined || plan === undefined) return "unknown";
    const nowMs = this.#clock.isHeld ? this.#clock.now() : performance.now();
    const name = `${plan.id}/${key.id}`;
    const bucket = this.#buckets.get(name) ?? new TokenBucket(plan, nowMs);
    this.#buckets.set(name, bucket);
    return bucket.take(nowMs) ? "admitted" : "throttled";
  }

  findPlans(key: UsageKey | undefined): UsagePlan[] {
    return this.plans.filter(({ id }) => key?.planIds.includes(id));
  }

  keyById(id: string): UsageKey | undefined {
    return this.#keys.find((key) => key.id === id);
  }

  keysNamed(prefix: string): UsageKey[] {
    return this.#keys.filter(({ name }) => name.startsWith(prefix));
  }

  /** Undefined if another key has this value. */
  createKey(name: string, value: string): UsageKey | undefined {
    if (this.#keys.some((key) => key.value === value)) return undefined;
    const createdAtSeconds = Math.floor(this.#clock.now() / 1000);
    const key: UsageKey = { id: randomBytes(5).toString("hex"), name, value, createdAtSeconds, planIds: [] };
    this.#keys.push(key);
    this.#write();
    return key;
  }

  /** @throws ServiceError if the plan, or another one of its stages, has the key */
  addKey(plan: UsagePlan, key: UsageKey): void {
    const isTaken = ({ apiId, stage }: UsagePlan["stages"][number]) =>
      this.findPlans(key).some((each) => isOn(each, apiId, stage));
    if (key.planIds.includes(plan.id))
      throw new ServiceError(409, "ConflictException", "The key is in the usage plan already");
    if (plan.stages.some(isTaken))
      throw new ServiceError(400, "BadRequestException", "The key is in another usage plan of the stage");
    key.planIds.push(plan.id);
    this.#write();
  }

  removeKey(plan: UsagePlan, key: UsageKey): void {
    known(key.planIds.find((id) => id === plan.id));
    key.planIds = key.planIds.filter((id) => id !== plan.id);
    this.#buckets.delete(`${plan.id}/${key.id}`);
    this.#write();
  }

  #write(): void {
    this.#state.write(this.#keys);
  }
}

function isOn({ stages }: UsagePlan, apiId: string, stage: string): boolean {
  return stages.some((each) => each.apiId === apiId && each.stage === stage);
}

const CreateApiKeyInput = z.strictObject({
  name: z.string().min(1).max(1024),
  value: z.string().regex(/^[A-Za-z0-9]{20,128}$/),
  enabled: z.literal(true),
});
const CreateUsagePlanKeyInput = z.strictObject({ keyId: z.string(), keyType: z.literal("API_KEY") });

interface Call {
  usage: UsagePlans;
  ids: string[];
  query: URLSearchParams;
  body: string;
}

/** By method and path, in which `*` stands for an id. */
const operations: Readonly<Record<string, (call: Call) => { status: number; body: unknown }>> = {
  "POST /apikeys": ({ usage, body }) => {
    const { name, value } = read(CreateApiKeyInput, body);
    const key = usage.createKey(name, value);
    if (key === undefined) throw new ServiceError(409, "ConflictException", "API Key already exists");
    return { status: 201, body: toKeyView(key) };
  },
  "GET /apikeys": ({ usage, query }) => toItems(usage.keysNamed(query.get("name") ?? ""), toKeyView),
  "GET /usageplans": ({ usage, query }) => {
    const keyId = query.get("keyId");
    return toItems(keyId === null ? usage.plans : usage.findPlans(usage.keyById(keyId)), toPlanView);
  },
  "GET /usageplans/*/keys": ({ usage, ids: [planId] }) => {
    const plan = findPlan(usage, planId);
    const keys = usage.keysNamed("").filter((key) => usage.findPlans(key).includes(plan));
    return toItems(keys, toKeyView);
  },
  "POST /usageplans/*/keys": ({ usage, ids: [planId], body }) => {
    const { keyId } = read(CreateUsagePlanKeyInput, body);
    const key = known(usage.keyById(keyId));
    usage.addKey(findPlan(usage, planId), key);
    return { status: 201, body: { id: key.id, type: "API_KEY", value: key.value, name: key.name } };
  },
  "DELETE /usageplans/*/keys/*": ({ usage, ids: [planId, keyId = ""] }) => {
    usage.removeKey(findPlan(usage, planId), known(usage.keyById(keyId)));
    return { status: 202, body: undefined };
  },
};

/**
 * API Gateway's REST administration of usage keys, without paging. Undefined for other requests.
 * @throws ServiceError
 */
export function administerUsage(
  usage: UsagePlans,
  { method, url = "", body }: { method?: string | undefined; url?: string | undefined; body: string },
) {
  const [path = "", query = ""] = url.split("?");
  const ids: string[] = [];
  const pattern = path.replaceAll(/(?<=\/(usageplans|keys)\/)[^/]+/g, (id) => {
    ids.push(decodeURIComponent(id));
    return "*";
  });
  const headers = { "content-type": "application/json" };
  const answered = operations[`${method} ${pattern}`]?.({
    usage,
    ids,
    query: new URLSearchParams(query),
    body,
  });
  return answered && { ...answered, headers };
}

const findPlan = ({ plans }: UsagePlans, planId: string | undefined) =>
  known(plans.find(({ id }) => id === planId));

function known<Found>(found: Found | undefined): Found {
  if (found !== undefined) return found;
  throw new ServiceError(404, "NotFoundException", "Invalid identifier specified");
}

function toItems<One>(all: readonly One[], toView: (one: One) => unknown) {
  return { status: 200, body: { item: all.map(toView) } };
}

function toKeyView({ id, name, createdAtSeconds }: UsageKey): unknown {
  return { id, name, enabled: true, createdDate: createdAtSeconds, lastUpdatedDate: createdAtSeconds };
}

function toPlanView({ id, name, stages, ratePerSecond, burst }: UsagePlan): unknown {
  return { id, name, apiStages: stages, throttle: { rateLimit: ratePerSecond, burstLimit: burst } };
}

function read<Schema extends z.ZodType>(schema: Schema, body: string): z.output<Schema> {
  try {
    return schema.parse(JSON.parse(body));
  } catch {
    throw new ServiceError(400, "BadRequestException", "Invalid API key");
  }
}
