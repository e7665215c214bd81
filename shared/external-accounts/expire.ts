import type { Change } from "../changes/change.ts";
import { timestamp } from "../platform/clock.ts";
import { type ExternalAccount, externalAccounts, externalAccountUpdate } from "./external-account.ts";
import { nextStatus } from "./states.ts";

/** A verification took too long. Of this and an outcome, one wins. */
export const verificationExpiry: Change<
  { readonly programId: string; readonly externalAccountId: string },
  { readonly externalAccount: ExternalAccount | undefined },
  undefined,
  "NOT_FOUND" | "ILLEGAL_TRANSITION"
> = {
  reads: ({ programId, externalAccountId }) => ({
    externalAccount: externalAccounts.at(programId, externalAccountId),
  }),
  decide: (_deadline, { externalAccount: before }, at) => {
    if (!before) return { rejected: "NOT_FOUND" };
    const status = nextStatus(before.status, "expire");
    if (!status || timestamp(at) < (before.endsAt ?? "")) return { rejected: "ILLEGAL_TRANSITION" };
    const after = { ...before, status, statusReason: "EXPIRED" };
    return { accounts: [], writes: [externalAccountUpdate(before, after)], answer: undefined };
  },
};
