import * as z from "zod";
import { id, timestamp } from "../contract/primitives.ts";
import { exists } from "../platform/table/condition.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";

/**
 * A customer of the platform. It owns Programs, API keys, client certificates and an IP allowlist.
 */
export const Tenant = z.object({
  tenantId: id("tenant"),
  name: z.string(),
  contactEmail: z.string(),
  createdAt: timestamp,
  createdBy: z.string(),
});
export type Tenant = z.output<typeof Tenant>;

export const tenants = defineEntity({
  name: "tenant",
  table: "accounts",
  schema: Tenant,
  key: (tenantId: string) => ({ pk: tenantId, sk: "TENANT" }),
});

/** The condition that the Tenant exists. Its name says what is missing. */
export function tenantExists(tenantId: string): WriteAction {
  return { ...tenants.at(tenantId).check(exists), name: `Tenant ${tenantId}` };
}

/**
 * Since when a Tenant, or some of its Programs, are suspended. One item per Tenant: the authorizer
 * reads it with each request. The audit log has who and why.
 */
export const Suspensions = z.object({
  tenantId: id("tenant"),
  /** Optimistic lock: a concurrent change is retried. */
  version: z.int(),
  tenantAt: timestamp.optional(),
  programs: z.record(id("program"), timestamp),
});
export type Suspensions = z.output<typeof Suspensions>;

export const suspensions = defineEntity({
  name: "suspensions",
  table: "accounts",
  schema: Suspensions,
  key: (tenantId: string) => ({ pk: tenantId, sk: "SUSPENSIONS" }),
});

export function isSuspended(
  found: Suspensions | undefined,
  key: { readonly programId?: string | undefined },
): boolean {
  if (!found) return false;
  if (found.tenantAt !== undefined) return true;
  return key.programId !== undefined && Object.hasOwn(found.programs, key.programId);
}
