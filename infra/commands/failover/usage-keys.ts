import {
  APIGatewayClient,
  paginateGetUsagePlanKeys,
  paginateGetUsagePlans,
} from "@aws-sdk/client-api-gateway";
import { usagePlanName, usagePlans } from "../../../shared/contract/rate-limits.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { Program } from "../../../shared/tenancy/programs/program.ts";
import { Tenant } from "../../../shared/tenancy/tenant.ts";
import {
  applyRateLimits,
  choosePlans,
  createTenantUsageKey,
  plansOfTenant,
} from "../../../shared/tenancy/usage/program-usage.ts";
import type { PlansOfKey } from "../../../shared/tenancy/usage/usage-keys.ts";
import { scan } from "../audit/scan.ts";

/**
 * A region's gateway has usage keys of its own: gives it those that the tables' Programs and
 * Tenants have. Looks at all keys at once, since the gateway takes a few calls a second. Writes
 * nothing to the tables. Returns the ids of those that lacked a key here, or had one in another
 * plan.
 */
export async function giveUsageKeys(progress: (line: string) => void) {
  const found = await keysInPlans();
  const isThere = (wanted: PlansOfKey) =>
    [...wanted].every(([name, plans]) =>
      plans.every((plan) => found.get(plan)?.has(name) ?? plan === "sandbox"),
    );
  const given: string[] = [];
  let owners = 0;
  const items = scan(table, environment.accountsTable, {
    FilterExpression: "sk = :tenant OR (sk = :program AND attribute_exists(usageKeysAt))",
    ExpressionAttributeValues: { ":tenant": "TENANT", ":program": "PROGRAM" },
  });
  for await (const item of items) {
    owners += 1;
    const program = item.sk === "PROGRAM" ? Program.parse(item) : undefined;
    const id = program?.programId ?? Tenant.parse(item).tenantId;
    if (isThere(program ? choosePlans(program) : plansOfTenant(id))) continue;
    await (program ? applyRateLimits(id) : createTenantUsageKey(id));
    given.push(id);
    progress(`${given.length} Programs and Tenants`);
  }
  progress("");
  return { owners, given };
}

/** The names of the keys in each plan that the environment has. */
async function keysInPlans(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const client = new APIGatewayClient({ maxAttempts: 6 });
  const plansByName = new Map(usagePlans.map((plan) => [usagePlanName(environment.name, plan), plan]));
  const found = new Map<string, ReadonlySet<string>>();
  for await (const { items: plans = [] } of paginateGetUsagePlans({ client, pageSize: 500 }, {})) {
    for (const { id: usagePlanId, name = "" } of plans) {
      const plan = plansByName.get(name);
      if (plan === undefined) continue;
      const names = new Set<string>();
      for await (const { items = [] } of paginateGetUsagePlanKeys({ client, pageSize: 500 }, { usagePlanId }))
        for (const key of items) names.add(key.name ?? "");
      found.set(plan, names);
    }
  }
  client.destroy();
  return found;
}
