import * as z from "zod";
import { id, timestamp } from "../contract/primitives.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { tenantKey } from "../platform/table/keys.ts";

/**
 * Since when a Tenant, or some of its Programs, are suspended. One item per Tenant: the authorizer reads it
 * with each request. The audit log has who and why.
 */
export const Suspensions = z.object({
  tenantId: id("tenant"),
  /** Counts changes: of two at once, one is made again. */
  version: z.int(),
  tenantAt: timestamp.optional(),
  programs: z.record(id("program"), timestamp),
});
export type Suspensions = z.output<typeof Suspensions>;

export const suspensions = defineEntity({
  name: "suspensions",
  table: "accounts",
  schema: Suspensions,
  key: tenantKey.suspensions,
});

export function isSuspended(
  found: Suspensions | undefined,
  key: { readonly programId?: string | undefined },
): boolean {
  if (!found) return false;
  if (found.tenantAt !== undefined) return true;
  return key.programId !== undefined && Object.hasOwn(found.programs, key.programId);
}
