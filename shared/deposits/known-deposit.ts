import { type Card, cards } from "../cards/card.ts";
import {
  later,
  nothing,
  type ReadMore,
  type Reads,
  type Rejected,
  type Unread,
  unread,
  whenFailed,
} from "../changes/change.ts";
import { DepositStatus, SuspenseStatus } from "../contract/enums.ts";
import { illegalStatus } from "../platform/http/api-error.ts";
import { findStep } from "../platform/table/transition.ts";
import type { DecidedDeposit } from "./arrival.ts";
import { type Deposit, deposits } from "./deposit.ts";
import type { DepositChange } from "./new-deposit.ts";
import {
  type DepositTrigger,
  depositTransitions,
  leftMinor,
  noteReport,
  settleDeposit,
} from "./settle-deposit.ts";
import { settleSuspense } from "./settle-suspense.ts";
import { type SuspenseItem, suspenseItems } from "./suspense.ts";

/** What is known of a deposit: on its account, or in suspense. */
export interface FoundDeposit {
  readonly deposit: Deposit | undefined | Unread;
  readonly suspense: SuspenseItem | undefined | Unread;
  /** Its Card, if that spends from a Wallet: the money goes on to it. */
  readonly card: Card | undefined | Unread;
}

/** Nothing is read of a Card with money of its own. */
export const cardOfDeposit = whenFailed<Card>((stored) => cards.parse(stored));

/** Its place in suspense is read if it is on no account. */
export function depositReads(programId: string, depositId: string): Reads<FoundDeposit> {
  return {
    deposit: deposits.at(programId, depositId),
    suspense: later(suspenseItems.at(programId, depositId)),
    card: cardOfDeposit,
  };
}

export const noDeposit = { deposit: later(nothing), suspense: later(nothing), card: cardOfDeposit };

/** The deposit, or that in suspense. */
export function findRecord(
  { programId, depositId }: Pick<Deposit, "programId" | "depositId">,
  { deposit, suspense }: FoundDeposit,
): { readonly record: Deposit | SuspenseItem | undefined } | ReadMore<FoundDeposit> {
  const again = { readMore: { deposit: deposits.at(programId, depositId) } };
  if (deposit === unread) return again;
  if (deposit) return { record: deposit };
  if (suspense === unread) return { readMore: { suspense: suspenseItems.at(programId, depositId) } };
  // It was assigned between the two reads: the deposit exists now.
  return suspense?.status === SuspenseStatus.assigned ? again : { record: suspense };
}

const illegal: Rejected<"ILLEGAL_TRANSITION"> = { rejected: "ILLEGAL_TRANSITION" };

const known = (card: FoundDeposit["card"]) => (card === unread ? undefined : card);

/** A return that overtakes the clearing reverses the pending deposit. Default: all is returned. */
export function settle(
  record: Deposit | SuspenseItem,
  trigger: DepositTrigger,
  at: Date,
  { card }: Pick<FoundDeposit, "card">,
  returnedMinor?: number,
): DecidedDeposit | Rejected<"ILLEGAL_TRANSITION"> {
  const { depositId, status } = record;
  const isEarly = trigger === "return" && status === DepositStatus.pending;
  const step = isEarly ? "reverse" : trigger;
  const { from } = findStep(depositTransitions, step);
  if (!from.some((one) => one === status)) return illegalStatus(status, from, SuspenseStatus);
  const left = leftMinor(record);
  // No part of money that has not come yet can go back.
  if (returnedMinor !== undefined && (returnedMinor > left || (isEarly && returnedMinor < left)))
    return illegal;
  if ("suspenseId" in record) {
    const { suspenseId } = record;
    const answer = { outcome: "applied", depositId, suspenseId } as const;
    return { ...settleSuspense(record, step, at, returnedMinor), answer };
  }
  return applied(record, settleDeposit(record, step, at, { amountMinor: returnedMinor, card: known(card) }));
}

function applied(
  { depositId, account }: Deposit,
  { commit, redelivery }: Pick<DepositChange, "commit" | "redelivery">,
): DecidedDeposit {
  return { ...commit, redelivery, answer: { outcome: "applied", depositId }, balancesOf: account };
}

/**
 * What a bank or custodian reports of what was announced, or a simulated bank has cleared: of the
 * same report at most once. It says what has come: another amount was announced then.
 */
export function settleReported(
  deposit: Deposit,
  amountMinor: number,
  at: Date,
  { card }: Pick<FoundDeposit, "card">,
): DecidedDeposit | Rejected<"ILLEGAL_TRANSITION"> {
  const { status, channel, expiresAt } = deposit;
  const said = { amountMinor, card: known(card) };
  if ((channel === "bank" && expiresAt === undefined) || deposit.isReported) return illegal;
  if (status === DepositStatus.pending)
    return applied(deposit, settleDeposit(deposit, "clear", at, { ...said, isReport: true }));
  if (status !== DepositStatus.cleared || amountMinor !== deposit.amountMinor) return illegal;
  return applied(deposit, { commit: noteReport(deposit, at), redelivery: undefined });
}
