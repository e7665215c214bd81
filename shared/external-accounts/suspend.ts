import type { Change } from "../changes/change.ts";
import { type ExternalAccount, externalAccounts, externalAccountUpdate } from "./external-account.ts";
import { nextStatus } from "./states.ts";

/**
 * Why a payment came back that no later one would reach the account: the number is wrong (AC01),
 * the account is closed (AC04) or blocked (AC06), its holder has died (MD07), or is another (BE04).
 */
const lastingReasons: ReadonlySet<string> = new Set(["AC01", "AC04", "AC06", "MD07", "BE04"]);

export function isLasting(reasonCode: string | undefined): reasonCode is string {
  return reasonCode !== undefined && lastingReasons.has(reasonCode);
}

interface Suspension {
  readonly programId: string;
  readonly externalAccountId: string;
  readonly reasonCode: string;
  /** Only said again: of a payment made then, and so of no account verified later. */
  readonly repeatedFrom?: string | undefined;
}

/** Nothing new goes there, or comes from there, until it is verified again. */
export const suspension: Change<
  Suspension,
  { readonly externalAccount: ExternalAccount | undefined },
  undefined,
  never
> = {
  reads: ({ programId, externalAccountId }) => ({
    externalAccount: externalAccounts.at(programId, externalAccountId),
  }),
  decide: ({ reasonCode, repeatedFrom }, { externalAccount: before }) => {
    const status = before && nextStatus(before.status, "return");
    if (!before || !status) return { done: undefined };
    if (repeatedFrom !== undefined && repeatedFrom < (before.verifiedAt ?? "")) return { done: undefined };
    const after = { ...before, status, statusReason: reasonCode };
    return { accounts: [], writes: [externalAccountUpdate(before, after)], answer: undefined };
  },
};
