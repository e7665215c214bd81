import {
  type Change,
  defineChange,
  type FoundBy,
  later,
  nothing,
  type Rejected,
  type StepRefusal,
  unread,
} from "../changes/change.ts";
import type { NameCheck, VerificationMethod } from "../contract/external-accounts.ts";
import type { Applied, ProcessorEvent } from "../contract/processor.ts";
import { timestamp } from "../platform/clock.ts";
import { illegalStatus, toLimitMessage } from "../platform/http/api-error.ts";
import { newId } from "../platform/id.ts";
import { outsidePut } from "../platform/outbox/outbox-put.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { findStep } from "../platform/table/transition.ts";
import {
  type ExternalAccount,
  externalAccounts,
  externalAccountTransitions,
  externalAccountUpdate,
  type KnownAccount,
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

type Found = FoundBy<ReturnType<typeof reads>>;
type AccountChange<Request extends Named, Answer> = Change<Request, Found, Answer, StepRefusal>;

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
    if (!status) return illegalStatus(before.status, ["pending"]);
    if (isOfAnother || before.method !== "bank_check") return { rejected: "ILLEGAL_TRANSITION" };
    const after: ExternalAccount = {
      ...{ ...before, status, nameCheck: outcome },
      ...(outcome === "match" && { verifiedAt: timestamp(at) }),
      ...(outcome !== "match" && { statusReason: reasons[outcome] }),
      ...(outcome === "close_match" && name !== undefined && { suggestedName: name }),
    };
    return { writes: [externalAccountUpdate(before, after)], answer: { outcome: "applied" } };
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
    if (!isOpen)
      return illegalStatus(microDeposits && status === "pending" ? "expired" : status, ["pending"]);
    const after = isRight ? verified(before, at) : withWrongAttempt(before);
    return {
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
    return { writes: [externalAccountUpdate(before, after)], answer: undefined };
  },
};

/** Ends it for good. The same bank account can be added again, which is verified anew. */
export const archival: AccountChange<Audited, ExternalAccount> = {
  reads,
  decide: ({ programId, audit }, { externalAccount: before }) => {
    if (!before) return { rejected: "NOT_FOUND" };
    const status = nextStatus(before.status, "archive");
    if (!status) return illegalStatus(before.status, findStep(externalAccountTransitions, "archive").from);
    const after = { ...before, status };
    const known = knownAccounts.at(programId, before.fingerprint);
    return {
      writes: [
        externalAccountUpdate(before, after),
        known.update({ remove: ["externalAccountId"] }),
        audit(before, after),
      ],
      answer: after,
    };
  },
};

export interface MicroDeposits {
  readonly amounts: readonly number[];
  readonly paymentIds: readonly string[];
  readonly writes: readonly WriteAction[];
}

interface Verification {
  readonly programId: string;
  readonly externalAccountId: string;
  readonly method: VerificationMethod;
  /** The payments of micro-deposits. Without it, the account's bank is asked. */
  readonly begin?: ((account: ExternalAccount, at: Date) => MicroDeposits) | undefined;
  /** Written in the same commit. */
  readonly audit: (before: ExternalAccount, after: ExternalAccount) => WriteAction;
}

/** A bank account has no more in so many days, also if it is archived and added again. */
const maximumVerifications = 3;
const countedMs = 30 * 86_400_000;
/** How long a verification may take. */
const verificationMs = 14 * 86_400_000;

/**
 * Begins a verification: the account's bank is asked whose it is, or gets two small payments. Of
 * two at once, one begins.
 */
export const verification = defineChange<Verification, ExternalAccount, StepRefusal | "LIMIT_REACHED">()({
  reads: ({ programId, externalAccountId }) => ({
    externalAccount: externalAccounts.at(programId, externalAccountId),
    knownAccount: later<KnownAccount>(nothing),
  }),
  decide: ({ programId, method, begin, audit }, { externalAccount: before, knownAccount }, at) => {
    if (!before) return { rejected: "NOT_FOUND" };
    const status = nextStatus(before.status, "verify");
    if (!status) return illegalStatus(before.status, findStep(externalAccountTransitions, "verify").from);
    const known = knownAccounts.at(programId, before.fingerprint);
    if (knownAccount === unread) return { readMore: { knownAccount: known } };
    const { verifiedAt: times } = knownAccount ?? {};
    const since = timestamp(new Date(at.getTime() - countedMs));
    const recent = (times ?? []).filter((one) => one > since);
    if (recent.length >= maximumVerifications) return tooMany(recent.length);
    const begun = begin?.(before, at);
    const after: ExternalAccount = {
      ...{ ...withoutEarlier(before), status, method, startedAt: timestamp(at) },
      ...(begun
        ? { microDeposits: { amounts: begun.amounts, paymentIds: begun.paymentIds } }
        : { checkId: newId("event") }),
      endsAt: timestamp(new Date(at.getTime() + verificationMs)),
    };
    return {
      writes: [
        externalAccountUpdate(before, after),
        known.update({ set: { verifiedAt: [...recent, timestamp(at)] } }, { verifiedAt: times }),
        ...(begun ? begun.writes : [checkPut(after)]),
        audit(before, after),
      ],
      answer: after,
    };
  },
});

function tooMany(current: number): Rejected<"LIMIT_REACHED"> {
  const things = `verifications of a bank account in ${countedMs / 86_400_000} days`;
  return { rejected: "LIMIT_REACHED", message: toLimitMessage(maximumVerifications, things, current) };
}

/** What an earlier verification came to says nothing of this one. */
function withoutEarlier(before: ExternalAccount): ExternalAccount {
  const { statusReason: _, nameCheck: __, suggestedName: ___, verifiedAt: ____, ...account } = before;
  const { checkId: _____, microDeposits: ______, wrongAttempts: _______, ...kept } = account;
  return kept;
}

/** The number is not in it: it is in no event. */
function checkPut(account: ExternalAccount): WriteAction {
  const { programId, externalAccountId, checkId = "", holderName, holderType, country, lastFour } = account;
  const detail = { externalAccountId, checkId, holderName, holderType, country, lastFour };
  return outsidePut(programId, "account.check", detail);
}
