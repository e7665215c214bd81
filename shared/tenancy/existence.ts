import { exists } from "../platform/table/condition.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { programs } from "./programs/program.ts";
import { tenants } from "./tenant.ts";

/** The condition that the Tenant exists. Its name says what is missing. */
export function tenantExists(tenantId: string): WriteAction {
  return { ...tenants.at(tenantId).check(exists), name: `Tenant ${tenantId}` };
}

/** The condition that the Program exists and is this Tenant's. */
export function programExists(tenantId: string, programId: string): WriteAction {
  return {
    ...programs.at(programId).check({ tenantId }),
    name: `Program ${programId} of Tenant ${tenantId}`,
  };
}
