import { later, nothing, type Rejected, unread } from "../changes/change.ts";
import { defineChange } from "../changes/define-change.ts";
import type { VerificationMethod } from "../contract/external-accounts.ts";
import { timestamp } from "../platform/clock.ts";
import { toLimitMessage } from "../platform/http/api-error.ts";
import { newId } from "../platform/id.ts";
import { outsidePut } from "../platform/outbox/outbox-put.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import {
  type ExternalAccount,
  externalAccounts,
  externalAccountUpdate,
  type KnownAccount,
  knownAccounts,
  nextStatus,
} from "./external-account.ts";

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
export const maximumVerifications = 3;
const countedMs = 30 * 86_400_000;
/** How long a verification may take. */
const verificationMs = 14 * 86_400_000;

/**
 * Begins a verification: the account's bank is asked whose it is, or gets two small payments. Of
 * two at once, one begins.
 */
export const verification = defineChange<
  Verification,
  ExternalAccount,
  "NOT_FOUND" | "ILLEGAL_TRANSITION" | "LIMIT_REACHED"
>()({
  reads: ({ programId, externalAccountId }) => ({
    externalAccount: externalAccounts.at(programId, externalAccountId),
    knownAccount: later<KnownAccount>(nothing),
  }),
  decide: ({ programId, method, begin, audit }, { externalAccount: before, knownAccount }, at) => {
    if (!before) return { rejected: "NOT_FOUND" };
    const status = nextStatus(before.status, "verify");
    if (!status) return { rejected: "ILLEGAL_TRANSITION" };
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
      accounts: [],
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
