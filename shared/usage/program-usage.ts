import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { timestamp } from "../clock.ts";
import { requestKinds, standardLimits, usageKey } from "../contract/rate-limits.ts";
import { environment } from "../environment.ts";
import type { Program } from "../program/program.ts";
import { table } from "../table/client.ts";
import { accountsKey } from "../table/keys.ts";
import type { PlansOfKey } from "./usage-keys.ts";

type Limited = Pick<Program, "programId" | "rateLimits">;

/**
 * Sees to it, before anyone gets a key of a Program, that the gateway knows what to count its requests by: an account has a limited number of
 * usage keys, and a Program that nobody can call needs none. Once for each Program, then it costs nothing.
 */
export async function ensureUsageKeys(program: Limited & Pick<Program, "usageKeysAt">): Promise<void> {
  if (program.usageKeysAt !== undefined) return;
  const { createUsageKeys } = await gateway();
  await createUsageKeys(plansOf(program));
  await remember(program);
}

/** Brings the gateway to what the Program's limits are now, its Tenant's own key included, whatever it knew before. */
export async function applyRateLimits(program: Limited & Pick<Program, "tenantId">): Promise<void> {
  const { assignUsageKeys } = await gateway();
  await assignUsageKeys(new Map([...plansOf(program), ...plansOfTenant(program.tenantId)]));
  await remember(program);
}

/** What a Tenant's own requests are counted by, before it has a key. */
export async function createTenantUsageKey(tenantId: string): Promise<void> {
  const { createUsageKeys } = await gateway();
  await createUsageKeys(plansOfTenant(tenantId));
}

/** The gateway's administration is loaded where it is needed alone: it would make every cold start longer. */
function gateway() {
  return import("./usage-keys.ts");
}

function plansOf({ programId, rateLimits = standardLimits }: Limited): PlansOfKey {
  return new Map(
    requestKinds.map((kind) => [usageKey(programId, kind), [`${kind}-${rateLimits[kind]}`, "sandbox"]]),
  );
}

function plansOfTenant(tenantId: string): PlansOfKey {
  return new Map([[usageKey(tenantId, "account"), ["account"]]]);
}

async function remember({ programId }: Limited): Promise<void> {
  await table.send(
    new UpdateCommand({
      TableName: environment.accountsTable,
      Key: accountsKey.program(programId),
      UpdateExpression: "SET usageKeysAt = :now",
      ConditionExpression: "attribute_exists(pk)",
      ExpressionAttributeValues: { ":now": timestamp() },
    }),
  );
}
