import type { Change, FoundBy } from "../changes/change.ts";
import type { NameCheck } from "../contract/external-accounts.ts";
import type { Applied, ProcessorEvent } from "../contract/processor.ts";
import { timestamp } from "../platform/clock.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import {
  type ExternalAccount,
  externalAccounts,
  externalAccountUpdate,
  knownAccounts,
  nextStatus,
} from "./external-account.ts";

interface Named {
  readonly programId: string;
  readonly externalAccountId: string;
}

interface Audited extends Named {
  /** Written in the same commit. */
  readonly audit: (before: ExternalAccount, after: ExternalAccount) => WriteAction;
}

const reads = ({ programId, externalAccountId }: Named) => ({
  externalAccount: externalAccounts.at(programId, externalAccountId),
});

type AccountChange<Request extends Named, Answer> = Change<
  Request,
  FoundBy<ReturnType<typeof reads>>,
  Answer,
  "NOT_FOUND" | "ILLEGAL_TRANSITION"
>;

const reasons = {
  close_match: "NAME_MISMATCH",
  no_match: "NAME_MISMATCH",
  unavailable: "CHECK_UNAVAILABLE",
} as const satisfies Record<Exclude<NameCheck, "match">, string>;

/** What the account's bank says of the holder's name ends the verification that asked it. */
const checked: AccountChange<Extract<ProcessorEvent, { kind: "account_checked" }>, Applied> = {
  reads,
  decide: ({ outcome, name, checkId }, { externalAccount: before }, at) => {
    if (!before) return { rejected: "NOT_FOUND" };
    const status = nextStatus(before.status, outcome === "match" ? "match" : "mismatch");
    const isOfAnother = checkId !== undefined && checkId !== before.checkId;
    if (!status || isOfAnother || before.method !== "bank_check") return { rejected: "ILLEGAL_TRANSITION" };
    const after: ExternalAccount = {
      ...{ ...before, status, nameCheck: outcome },
      ...(outcome === "match" && { verifiedAt: timestamp(at) }),
      ...(outcome !== "match" && { statusReason: reasons[outcome] }),
      ...(outcome === "close_match" && name !== undefined && { suggestedName: name }),
    };
    return {
      accounts: [],
      writes: [externalAccountUpdate(before, after)],
      answer: { outcome: "applied" },
    };
  },
};

/** The port's events of external accounts. */
export const accountEvents = { account_checked: checked } as const;

interface Confirmation extends Audited {
  readonly amounts: readonly number[];
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
export const confirmation: AccountChange<Confirmation, Confirmed> = {
  reads,
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

/** A verification took too long. Of this and an outcome, one wins. */
export const verificationExpiry: AccountChange<Named, undefined> = {
  reads,
  decide: (_deadline, { externalAccount: before }, at) => {
    if (!before) return { rejected: "NOT_FOUND" };
    const status = nextStatus(before.status, "expire");
    if (!status || timestamp(at) < (before.endsAt ?? "")) return { rejected: "ILLEGAL_TRANSITION" };
    const after = { ...before, status, statusReason: "EXPIRED" };
    return { accounts: [], writes: [externalAccountUpdate(before, after)], answer: undefined };
  },
};

/** Ends it for good. The same bank account can be added again, which is verified anew. */
export const archival: AccountChange<Audited, ExternalAccount> = {
  reads,
  decide: ({ programId, audit }, { externalAccount: before }) => {
    if (!before) return { rejected: "NOT_FOUND" };
    const status = nextStatus(before.status, "archive");
    if (!status) return { rejected: "ILLEGAL_TRANSITION" };
    const after = { ...before, status };
    const known = knownAccounts.at(programId, before.fingerprint);
    return {
      accounts: [],
      writes: [
        externalAccountUpdate(before, after),
        known.update({ remove: ["externalAccountId"] }),
        audit(before, after),
      ],
      answer: after,
    };
  },
};
