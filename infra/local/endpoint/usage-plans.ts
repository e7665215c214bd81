import { z } from "zod";
import type { StateFile } from "../files.ts";
import type { Clock } from "../interfaces.ts";
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
  readonly #keys: Map<string, UsageKey>;
  readonly #byValue: Map<string, UsageKey>;
  readonly #state: StateFile<UsageKey[]>;
  readonly #clock: UsageClock;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(plans: readonly UsagePlan[], state: StateFile<UsageKey[]>, clock: UsageClock) {
    this.plans = plans;
    this.#clock = clock;
    this.#state = state;
    const isPlan = (planId: string) => plans.some(({ id }) => id === planId);
    const kept = state.read([]).map((key) => ({ ...key, planIds: key.planIds.filter(isPlan) }));
    this.#keys = new Map(kept.map((key) => [key.id, key]));
    this.#byValue = new Map(kept.map((key) => [key.value, key]));
  }

  admit(value: string | undefined, apiId: string, stage: string): Admission {
    const key = this.#byValue.get(value ?? "");
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
    return this.#keys.get(id);
  }

  keysNamed(prefix: string): UsageKey[] {
    return [...this.#keys.values()].filter(({ name }) => name.startsWith(prefix));
  }

  /** Undefined if another key has this value. */
  createKey(name: string, value: string): UsageKey | undefined {
    if (this.#byValue.has(value)) return undefined;
    const createdAtSeconds = Math.floor(this.#clock.now() / 1000);
    const key: UsageKey = { id: randomBytes(5).toString("hex"), name, value, createdAtSeconds, planIds: [] };
    this.#keys.set(key.id, key);
    this.#byValue.set(value, key);
    this.#write();
    return key;
  }

  /** `in it`: the plan contains the key. `elsewhere`: another plan of one of its stages does. */
  addKey(plan: UsagePlan, key: UsageKey): "added" | "in it" | "elsewhere" {
    const isTaken = ({ apiId, stage }: UsagePlan["stages"][number]) =>
      this.findPlans(key).some((each) => isOn(each, apiId, stage));
    if (key.planIds.includes(plan.id)) return "in it";
    if (plan.stages.some(isTaken)) return "elsewhere";
    key.planIds.push(plan.id);
    this.#write();
    return "added";
  }

  removeKey(plan: UsagePlan, key: UsageKey): boolean {
    const index = key.planIds.indexOf(plan.id);
    if (index === -1) return false;
    key.planIds.splice(index, 1);
    this.#buckets.delete(`${plan.id}/${key.id}`);
    this.#write();
    return true;
  }

  #write(): void {
    this.#state.write([...this.#keys.values()]);
  }
}

function isOn({ stages }: UsagePlan, apiId: string, stage: string): boolean {
  return stages.some((each) => each.apiId === apiId && each.stage === stage);
}

export interface AdministrationAnswer {
  status: number;
  body: unknown;
  headers: Record<string, string>;
}

const CreateApiKeyInput = z.strictObject({
  name: z.string().min(1).max(1024),
  value: z.string().regex(/^[A-Za-z0-9]{20,128}$/),
  enabled: z.literal(true),
});
const CreateUsagePlanKeyInput = z.strictObject({ keyId: z.string(), keyType: z.literal("API_KEY") });

const operations = [
  { method: "POST", pattern: /^\/apikeys$/, answer: createApiKey },
  { method: "GET", pattern: /^\/apikeys$/, answer: getApiKeys },
  { method: "GET", pattern: /^\/usageplans$/, answer: getUsagePlans },
  { method: "GET", pattern: /^\/usageplans\/([^/]+)\/keys$/, answer: getUsagePlanKeys },
  { method: "POST", pattern: /^\/usageplans\/([^/]+)\/keys$/, answer: createUsagePlanKey },
  { method: "DELETE", pattern: /^\/usageplans\/([^/]+)\/keys\/([^/]+)$/, answer: deleteUsagePlanKey },
] as const;

interface Call {
  usage: UsagePlans;
  ids: string[];
  query: URLSearchParams;
  body: string;
}

/**
 * API Gateway's REST administration of usage keys, without paging. Undefined for other requests.
 */
export function administerUsage(
  usage: UsagePlans,
  { method, url = "", body }: { method?: string | undefined; url?: string | undefined; body: string },
): AdministrationAnswer | undefined {
  const [path = "", query = ""] = url.split("?");
  const known = operations.find((each) => each.method === method && each.pattern.test(path));
  if (known === undefined) return undefined;
  const [, ...ids] = known.pattern.exec(path) ?? [];
  return known.answer({ usage, ids: ids.map(decodeURIComponent), query: new URLSearchParams(query), body });
}

function createApiKey({ usage, body }: Call): AdministrationAnswer {
  const input = read(CreateApiKeyInput, body);
  if (input === undefined) return failure(400, "BadRequestException", "Invalid API Key");
  const key = usage.createKey(input.name, input.value);
  return key ? answer(201, toKeyView(key)) : failure(409, "ConflictException", "API Key already exists");
}

function getApiKeys({ usage, query }: Call): AdministrationAnswer {
  return answer(200, { item: usage.keysNamed(query.get("name") ?? "").map(toKeyView) });
}

function getUsagePlans({ usage, query }: Call): AdministrationAnswer {
  const keyId = query.get("keyId");
  const plans = keyId === null ? usage.plans : usage.findPlans(usage.keyById(keyId));
  return answer(200, { item: plans.map(toPlanView) });
}

function getUsagePlanKeys({ usage, ids: [planId] }: Call): AdministrationAnswer {
  const plan = usage.plans.find(({ id }) => id === planId);
  if (plan === undefined) return failure(404, "NotFoundException", "Invalid Usage Plan identifier specified");
  return answer(200, {
    item: usage
      .keysNamed("")
      .filter((key) => usage.findPlans(key).includes(plan))
      .map(toKeyView),
  });
}

function createUsagePlanKey({ usage, ids: [planId], body }: Call): AdministrationAnswer {
  const input = read(CreateUsagePlanKeyInput, body);
  const plan = usage.plans.find(({ id }) => id === planId);
  const key = usage.keyById(input?.keyId ?? "");
  if (input === undefined) return failure(400, "BadRequestException", "Invalid usage plan key");
  if (plan === undefined || key === undefined) return failure(404, "NotFoundException", "Invalid identifier");
  const outcome = usage.addKey(plan, key);
  if (outcome === "in it") return failure(409, "ConflictException", "The key is in the usage plan already");
  if (outcome === "elsewhere") {
    return failure(400, "BadRequestException", "The key is in another usage plan of the stage");
  }
  return answer(201, { id: key.id, type: "API_KEY", value: key.value, name: key.name });
}

function deleteUsagePlanKey({ usage, ids: [planId, keyId] }: Call): AdministrationAnswer {
  const plan = usage.plans.find(({ id }) => id === planId);
  const key = usage.keyById(keyId ?? "");
  const isRemoved = plan !== undefined && key !== undefined && usage.removeKey(plan, key);
  return isRemoved ? answer(202, undefined) : failure(404, "NotFoundException", "Invalid identifier");
}

function toKeyView({ id, name, createdAtSeconds }: UsageKey): unknown {
  return { id, name, enabled: true, createdDate: createdAtSeconds, lastUpdatedDate: createdAtSeconds };
}

function toPlanView({ id, name, stages, ratePerSecond, burst }: UsagePlan): unknown {
  return { id, name, apiStages: stages, throttle: { rateLimit: ratePerSecond, burstLimit: burst } };
}

function read<Schema extends z.ZodType>(schema: Schema, body: string): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}

function answer(status: number, body: unknown): AdministrationAnswer {
  return { status, body, headers: { "content-type": "application/json" } };
}

function failure(status: number, code: string, message: string): AdministrationAnswer {
  const { headers } = answer(status, undefined);
  return { status, body: { message }, headers: { ...headers, "x-amzn-errortype": code } };
}
