import { operate } from "./administration.ts";

export interface GivenTenant {
  readonly tenantId: string;
  readonly programIds: readonly string[];
}

/** A Tenant with this number of Programs. */
export async function givenTenant(programs: number): Promise<GivenTenant> {
  const { tenantId } = await operate("create-tenant", {
    name: "Tenant",
    contactEmail: "contact@customer.example",
  });
  const programIds: string[] = [];
  for (let number = 1; number <= programs; number += 1) {
    const settings = { issuanceApproval: 0, clearingDelaySeconds: 0 };
    const input = { tenantId, name: `Program ${number}`, currency: 2, settings };
    programIds.push((await operate("create-program", input)).programId);
  }
  return { tenantId, programIds };
}
