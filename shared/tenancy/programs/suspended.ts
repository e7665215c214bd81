import { isSuspended, suspensions } from "../tenant.ts";
import { readProgram } from "./program.ts";

/** Whether the Program, or its Tenant, is suspended. */
export async function isProgramSuspended(programId: string): Promise<boolean> {
  const program = await readProgram(programId);
  return program !== undefined && isSuspended(await suspensions.at(program.tenantId).get(), { programId });
}
