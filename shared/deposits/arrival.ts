import {
  type Decided,
  type FoundBy,
  later,
  nothing,
  type ReadMore,
  type Rejected,
  unread,
} from "../changes/change.ts";
import { currencyNames } from "../contract/enums.ts";
import type { Applied } from "../contract/processor.ts";
import { timestamp } from "../platform/clock.ts";
import { logMeasured } from "../platform/metrics.ts";
import { isNew } from "../platform/table/condition.ts";
import { type Program, readProgram } from "../tenancy/programs/program.ts";
import type { Deposit, RecordedDeposit } from "./deposit.ts";
import { newDeposit } from "./new-deposit.ts";
import { type SuspenseItem, suspendDeposit, suspenseItems, toSuspenseId } from "./suspense.ts";
import { depositedOn, type StoredTaker, takerAt, takers } from "./takers.ts";

/** A deposit that is not recorded yet. */
export interface Arrival
  extends Pick<RecordedDeposit, "programId" | "depositId" | "account" | "amountMinor" | "status">,
    Pick<Deposit, "channel" | "chain" | "asset" | "txHash"> {
  readonly reference?: string | undefined;
  /** ISO 4217 code of the amount. Default: the account's. */
  readonly currency?: string | undefined;
  /** Another event may have named its id. */
  readonly isNamed?: boolean;
  /** Why the operator decides about it first. */
  readonly suspend?: Pick<SuspenseItem, "reason" | "duplicateOf" | "note"> | undefined;
  /** Whether it goes to suspense without its account, which is NOT_FOUND otherwise. */
  readonly suspendUnknown?: boolean | undefined;
}

/** Nothing yet: the decision asks for it, and for the Program only if there is no account. */
export const accountReads = { account: later<StoredTaker>(nothing), program: later<Program>(nothing) };
export type FoundAccount = FoundBy<typeof accountReads>;

/** Credits the account, or suspense if the account cannot take money: all money is booked. */
export function decideArrival(
  { isNamed, suspend: suspendFirst, suspendUnknown, currency: received, ...details }: Arrival,
  { account: stored, program }: FoundAccount,
  at: Date,
): DecidedDeposit | Rejected<"NOT_FOUND"> | ReadMore<FoundAccount> {
  const { programId, depositId } = details;
  if (stored === unread) return { readMore: { account: takerAt(programId, details.account) } };
  if (!stored && !suspendUnknown) return { rejected: "NOT_FOUND" };
  if (!stored && program === unread) return { readMore: { program: { get: () => readProgram(programId) } } };
  const currency = stored?.currency ?? (program === unread ? undefined : program?.currency);
  if (currency === undefined) return { rejected: "NOT_FOUND" };
  const fields = { ...details, currency };
  const receivedCurrency = received === currencyNames[currency] ? undefined : received;
  const mismatch = receivedCurrency === undefined ? undefined : "CURRENCY_MISMATCH";
  const refusal = stored ? (mismatch ?? takers[details.account.kind].findRefusal(stored)) : "ACCOUNT_UNKNOWN";
  const suspend = suspendFirst ?? (refusal && { reason: refusal });
  if (suspend) {
    const suspenseId = toSuspenseId(depositId);
    const item = { ...fields, suspenseId, ...suspend, receivedCurrency, createdAt: timestamp(at) };
    const ids = { depositId, suspenseId };
    return {
      ...suspendDeposit(item, at),
      answer: { outcome: "applied", ...ids },
      balancesOf: details.account,
      whenCommitted: () =>
        logMeasured("The deposit is in suspense.", { programId, ...ids }, () => ({ DepositsSuspended: 1 })),
    };
  }
  const { cardholderId, cardToken } = stored ?? {};
  const on = depositedOn(details.account, stored);
  const { commit, redelivery } = newDeposit({ ...fields, cardholderId, cardToken, ...on }, at);
  const notSuspended = suspenseItems.at(programId, depositId).check(isNew);
  return {
    ...commit,
    writes: isNamed ? [notSuspended, ...commit.writes] : commit.writes,
    redelivery,
    answer: { outcome: "applied", depositId },
    balancesOf: on.account,
  };
}

export type DecidedDeposit = Decided<Applied>;
