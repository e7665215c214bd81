import { isDeepStrictEqual } from "node:util";
import { requestKinds, standardLimits, usageKey } from "../../contract/rate-limits.ts";
import { now, timestamp } from "../../platform/clock.ts";
import { type Deadline, defineDeadline } from "../../platform/deadlines.ts";
import { newId } from "../../platform/id.ts";
import { exists } from "../../platform/table/condition.ts";
import { type Program, programs, readProgram } from "../programs/program.ts";
import type { PlansOfKey } from "./usage-keys.ts";

/** When what was begun and not finished is begun again: no run of a function takes that long. */
const repairMs = 120_000;
const application = defineDeadline("apply_limits", "normal");

type Limited = Pick<Program, "programId" | "rateLimits">;

/**
 * Creates a Program's usage keys before its first API key: an account has a limited number of usage
 * keys, and a Program without keys needs none. Free after the first time.
 */
export async function ensureUsageKeys(program: Limited & Pick<Program, "usageKeysAt">): Promise<void> {
  if (program.usageKeysAt !== undefined) return;
  const { createUsageKeys } = await gateway();
  await createUsageKeys(choosePlans(program));
  await recordUsageKeys(program);
}

/** Applies the Program's current limits to the gateway, and follows changes meanwhile. */
export async function applyRateLimits(programId: string): Promise<void> {
  const { assignUsageKeys } = await gateway();
  let program = await readProgram(programId);
  while (program) {
    await assignUsageKeys(choosePlans(program));
    const after = await readProgram(programId);
    if (isDeepStrictEqual(after?.rateLimits, program.rateLimits)) return;
    program = after;
  }
}

/**
 * Finishes an interrupted change of limits. Written in the transaction that changes them, before
 * any key is moved.
 */
export function limitsDeadline(programId: string): Deadline {
  const dueAt = new Date(now().getTime() + repairMs);
  return application.at({ ownerId: programId, deadlineId: newId("event"), dueAt });
}

/** Creates the Tenant's usage key, or restores it if the gateway lost it. */
export async function createTenantUsageKey(tenantId: string): Promise<void> {
  const { createUsageKeys } = await gateway();
  await createUsageKeys(plansOfTenant(tenantId));
}

/** Imported on demand: it would slow every cold start. */
function gateway() {
  return import("./usage-keys.ts");
}

export function choosePlans({ programId, rateLimits = standardLimits }: Limited): PlansOfKey {
  return new Map(
    requestKinds.map((kind) => [usageKey(programId, kind), [`${kind}-${rateLimits[kind]}`, "sandbox"]]),
  );
}

export function plansOfTenant(tenantId: string): PlansOfKey {
  return new Map([[usageKey(tenantId, "account"), ["account"]]]);
}

export async function recordUsageKeys({ programId }: Pick<Program, "programId">): Promise<void> {
  const outcome = await programs.at(programId).updateNow({ set: { usageKeysAt: timestamp() } }, exists);
  if (!outcome.updated) throw new Error(`The Program ${programId} does not exist.`);
}
