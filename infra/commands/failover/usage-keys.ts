import { paginateGetUsagePlanKeys } from "@aws-sdk/client-api-gateway";
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
import { gateway, type PlansOfKey, readPlans } from "../../../shared/tenancy/usage/usage-keys.ts";
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
  const found = new Map<string, ReadonlySet<string>>();
  for (const [plan, { id: usagePlanId }] of await readPlans()) {
    const names = new Set<string>();
    const pages = paginateGetUsagePlanKeys({ client: gateway, pageSize: 500 }, { usagePlanId });
    for await (const { items = [] } of pages) for (const key of items) names.add(key.name ?? "");
    found.set(plan, names);
  }
  return found;
}
