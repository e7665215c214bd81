import type { WriteAction } from "../platform/table/transact.ts";
import { type ExternalAccount, externalAccountUpdate, nextStatus } from "./external-account.ts";

/**
 * Why a payment came back that no later one would reach the account: the number is wrong (AC01),
 * the account is closed (AC04) or blocked (AC06), its holder has died (MD07), or is another (BE04).
 */
const lastingReasons: ReadonlySet<string> = new Set(["AC01", "AC04", "AC06", "MD07", "BE04"]);

export function isLasting(reasonCode: string | undefined): reasonCode is string {
  return reasonCode !== undefined && lastingReasons.has(reasonCode);
}

/** Nothing new goes there, or comes from there, until it is verified again. */
export function suspension(before: ExternalAccount | undefined, reasonCode: string): WriteAction[] {
  const status = before && nextStatus(before.status, "return");
  return before && status
    ? [externalAccountUpdate(before, { ...before, status, statusReason: reasonCode })]
    : [];
}
