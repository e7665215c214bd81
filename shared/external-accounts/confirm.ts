import type { Change } from "../changes/change.ts";
import { timestamp } from "../platform/clock.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { type ExternalAccount, externalAccounts, externalAccountUpdate } from "./external-account.ts";
import { nextStatus } from "./states.ts";

interface Confirmation {
  readonly programId: string;
  readonly externalAccountId: string;
  readonly amounts: readonly number[];
  /** Written in the same commit. */
  readonly audit: (before: ExternalAccount, after: ExternalAccount) => WriteAction;
}

interface Confirmed {
  readonly externalAccount: ExternalAccount;
  /** The amounts are wrong: so many may still be tried. */
  readonly attemptsLeft?: number;
}

const maximumAttempts = 5;

/**
 * Two amounts, in any order, prove that the holder reads the account's statement. Each wrong pair
 * counts, also of many at once: the fifth ends the verification.
 */
export const confirmation: Change<
  Confirmation,
  { readonly externalAccount: ExternalAccount | undefined },
  Confirmed,
  "NOT_FOUND" | "ILLEGAL_TRANSITION"
> = {
  reads: ({ programId, externalAccountId }) => ({
    externalAccount: externalAccounts.at(programId, externalAccountId),
  }),
  decide: ({ amounts, audit }, { externalAccount: before }, at) => {
    if (!before) return { rejected: "NOT_FOUND" };
    const { microDeposits, status, endsAt = "" } = before;
    const isRight = microDeposits !== undefined && isSamePair(microDeposits.amounts, amounts);
    // The request again, whose first answer was lost.
    if (status === "verified" && isRight) return { done: { externalAccount: before } };
    const isOpen = status === "pending" && microDeposits !== undefined && timestamp(at) < endsAt;
    if (!isOpen) return { rejected: "ILLEGAL_TRANSITION" };
    const after = isRight ? verified(before, at) : withWrongAttempt(before);
    return {
      accounts: [],
      writes: [externalAccountUpdate(before, after), audit(before, after)],
      answer: {
        externalAccount: after,
        ...(!isRight && { attemptsLeft: maximumAttempts - (after.wrongAttempts ?? 0) }),
      },
    };
  },
};

function isSamePair(one: readonly number[], other: readonly number[]): boolean {
  return one.toSorted((a, b) => a - b).join() === other.toSorted((a, b) => a - b).join();
}

function verified(before: ExternalAccount, at: Date): ExternalAccount {
  const status = nextStatus(before.status, "confirm") ?? before.status;
  return { ...before, status, verifiedAt: timestamp(at) };
}

function withWrongAttempt(before: ExternalAccount): ExternalAccount {
  const wrongAttempts = (before.wrongAttempts ?? 0) + 1;
  if (wrongAttempts < maximumAttempts) return { ...before, wrongAttempts };
  const status = nextStatus(before.status, "exhaust") ?? before.status;
  return { ...before, wrongAttempts, status, statusReason: "ATTEMPTS_EXCEEDED" };
}
