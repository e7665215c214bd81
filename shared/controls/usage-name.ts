import type { FailedConditions } from "../platform/table/transact.ts";

export type ControlOwner = "program" | "cardholder" | "card";

/** `limit`: what a Card that spends from a Wallet may spend. It counts like a control. */
export type ScopeOwner = ControlOwner | "limit";

/** The condition under which counting in an owner's usage fails. */
export const nameOfUsage = (owner: ScopeOwner) => `${owner}Usage`;

/** Whether nothing else failed than to count in the Program's usage. */
export function isOnlyUsage(failed: FailedConditions): boolean {
  return failed.size === 1 && failed.has(nameOfUsage("program"));
}
