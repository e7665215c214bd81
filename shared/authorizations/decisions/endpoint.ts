import type { StandIn } from "../../contract/authorization-endpoint.ts";
import {
  type AuthorizationEndpoint,
  lastProgramControls,
  readProgramControls,
} from "../../controls/rulebooks.ts";
import { readCircuitAhead } from "./circuit.ts";

/** Whether there was one when it was last read: a hint of what to read next. */
export async function mayHaveEndpoint(programId: string): Promise<boolean> {
  return (await lastProgramControls(programId))?.endpoint !== undefined;
}

/**
 * Where a Program's authorizations are asked about; undefined without a question. No round trip in
 * most calls: it is at most `leaseMs` old.
 */
export async function readEndpoint(programId: string): Promise<AuthorizationEndpoint | undefined> {
  const { endpoint } = await readProgramControls(programId);
  if (endpoint) readCircuitAhead({ programId, url: endpoint.url });
  return endpoint;
}

/** Whether the stand-in policy approves the amount. */
export function isApprovedBy(standIn: StandIn, amountMinor: number): boolean {
  return typeof standIn === "object" ? amountMinor <= standIn.approveUpTo : standIn === "approve";
}
