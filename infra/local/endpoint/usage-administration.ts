import { z } from "zod";
import type { UsageKey, UsagePlan, UsagePlans } from "./usage-plans.ts";

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
