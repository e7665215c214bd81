import * as z from "zod";
import { id, timestamp } from "../contract/primitives.ts";
import { exists } from "../platform/table/condition.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { accountsKey } from "../platform/table/keys.ts";
import type { WriteAction } from "../platform/table/transact.ts";

/** A customer of the platform. It owns Programs, API keys, client certificates and an IP allowlist. */
export const Tenant = z.object({
  tenantId: id("tenant"),
  name: z.string(),
  /** Absent for a Tenant from before there was one. */
  contactEmail: z.string().optional(),
  createdAt: timestamp,
  createdBy: z.string(),
});
export type Tenant = z.output<typeof Tenant>;

export const tenants = defineEntity({
  name: "tenant",
  table: "accounts",
  schema: Tenant,
  key: accountsKey.tenant,
});

/** The condition that the Tenant exists. Its name says what is missing. */
export function tenantExists(tenantId: string): WriteAction {
  return { ...tenants.at(tenantId).check(exists), name: `Tenant ${tenantId}` };
}
