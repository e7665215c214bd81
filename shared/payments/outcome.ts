import { isDeepStrictEqual } from "node:util";
import {
  type Change,
  type Decided,
  type Done,
  later,
  nothing,
  type ReadMore,
  type Unread,
  unread,
} from "../changes/change.ts";
import { areOthers } from "../contract/bank.ts";
import { countDecimals, toDecimal } from "../contract/currencies.ts";
import { currencyNames } from "../contract/enums.ts";
import { type ExternalAccount, externalAccounts } from "../external-accounts/external-account.ts";
import { isLasting, suspension } from "../external-accounts/suspend.ts";
import { refusedPut } from "../platform/refused/refused-input.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import type { Mover, Payment } from "./payment.ts";

/** What the bank says of a payment: by a status, an entry, a return or a webhook. */
export interface Outcome {
  readonly programId: string;
  readonly paymentId: string;
  /** Accepted is a status that decides nothing yet: `ACTC`, `ACCP`, `ACSP`, `PDNG`. */
  readonly status: "accepted" | "completed" | "collected" | "rejected" | "returned";
  /** What came back, of a return. Default: all. */
  readonly amountMinor?: number | undefined;
  /** Said by an entry, which has moved money: its reference, or empty without one. */
  readonly entry?: string | undefined;
  /** An entry of less than was paid, which does not say that it comes back. */
  readonly isUnsaid?: boolean | undefined;
  /** That entry: what tells it from another one that has moved as much. */
  readonly movedBy?: Mover | undefined;
  readonly reasonCode?: string | undefined;
}

/** What became of it. However often and in which order outcomes come, the end is the same. */
export interface Applied {
  /**
   * Applied: it has changed the payment. Known: it was said before, or says nothing new. Kept: it
   * contradicts what was said before and moves nothing, and the operator is told, once.
   */
  readonly result: "applied" | "known" | "kept";
  readonly payment: Payment;
}

/** It cannot be of this payment, nor is its money: its sender, or the operator, is to be told. */
export type OutcomeRefusal =
  | "NOT_FOUND"
  | "NOT_SENT"
  | "AMOUNT_TOO_LARGE"
  | "ILLEGAL_TRANSITION"
  | "BOOKED_TWICE";

export type OutcomeChange<Found extends object> = Change<Outcome, Found, Applied, OutcomeRefusal>;

export const known = (payment: Payment): Done<Applied> => ({ done: { result: "known", payment } });

/**
 * The entries that moved it, with this one: the last of each status and kind of report. Undefined
 * if it has moved money once more: another one of its file has, or, by another reference of the
 * bank's, one in a report of its kind.
 */
export function addMover(before: readonly Mover[] = [], given: Mover | undefined) {
  if (!given || before.some((one) => isDeepStrictEqual(one, given))) return before;
  const { status, report, file, name } = given;
  // A report of its kind may tell a batch as a whole, another one each payment of it.
  const names = ({ name: own, entry: whole = own }: Mover) => [own, whole];
  const isOfOthers = (one: Mover) =>
    names(one).every((some) => names(given).every((other) => areOthers(some, other)));
  const alike = before.filter((one) => one.status === status && one.report === report);
  const isOther = (one: Mover) =>
    one.file === file ? one.name !== name : ![one, given].some(isPlace) && isOfOthers(one);
  if (alike.some(isOther)) return undefined;
  // What has a reference says more than what has none.
  if (isPlace(given) && alike.some((one) => !isPlace(one))) return before;
  return [...before.filter((one) => !alike.includes(one)), given];
}

const isPlace = ({ name }: Mover) => name.startsWith("#");

/** The operator reads of a payment what contradicts: in the commit that makes it known. */
export function tellOperator(payment: Payment, outcome: Outcome, reason: string): WriteAction {
  const { programId, paymentId, endToEndId, currency } = payment;
  const { status, reasonCode, amountMinor = payment.amountMinor } = outcome;
  const code = currencyNames[currency];
  const amount = `${toDecimal(amountMinor, countDecimals(code))} ${code}`;
  const input = JSON.stringify({ paymentId, endToEndId, status, amount, reasonCode });
  return refusedPut({ port: "bank", reason: `${reason} ${amount}.`, input, programId });
}

export type Decision = Decided<Applied> | Done<Applied> | { readonly rejected: OutcomeRefusal };

/** The account that a payment is of: a decision asks for it. */
export interface FoundAccount {
  readonly externalAccount: ExternalAccount | undefined | Unread;
}

export const accountReads = { externalAccount: later<ExternalAccount>(nothing) };

export function readAccount({
  programId,
  externalAccountId,
}: Pick<ExternalAccount, "programId" | "externalAccountId">): ReadMore<FoundAccount> {
  return { readMore: { externalAccount: externalAccounts.at(programId, externalAccountId) } };
}

/** An account that no later payment would reach is suspended by the commit that says so. */
export function suspending(
  reasonCode: string | undefined,
  { externalAccount }: FoundAccount,
  decided: Decision,
): Decision | ReadMore<FoundAccount> {
  if (!("answer" in decided) || !isLasting(reasonCode)) return decided;
  if (externalAccount === unread) return readAccount(decided.answer.payment);
  return { ...decided, writes: [...(decided.writes ?? []), ...suspension(externalAccount, reasonCode)] };
}
