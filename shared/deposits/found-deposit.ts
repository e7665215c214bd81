import type { Applied } from "../changes/applied-event.ts";
import {
  type Decided,
  later,
  nothing,
  type ReadMore,
  type Reads,
  type Rejected,
  type Unread,
  unread,
} from "../changes/change.ts";
import { DepositStatus, SuspenseStatus } from "../contract/enums.ts";
import { type Deposit, type DepositTrigger, deposits, depositTransitions, leftMinor } from "./deposit.ts";
import { type DepositChange, noteReport, settleDeposit } from "./deposit-change.ts";
import { type SuspenseItem, settleSuspense, suspenseItems } from "./suspense.ts";

export type DecidedDeposit = Decided<Applied>;

/** What is known of a deposit: on its account, or in suspense. */
export interface FoundDeposit {
  readonly deposit: Deposit | undefined | Unread;
  readonly suspense: SuspenseItem | undefined | Unread;
}

/** Its place in suspense is read if it is on no account. */
export function depositReads(programId: string, depositId: string): Reads<FoundDeposit> {
  return {
    deposit: deposits.at(programId, depositId),
    suspense: later(suspenseItems.at(programId, depositId)),
  };
}

export const noDeposit = { deposit: later(nothing), suspense: later(nothing) };

/** The deposit, or that in suspense. */
export function findRecord(
  { programId, depositId }: Pick<Deposit, "programId" | "depositId">,
  { deposit, suspense }: FoundDeposit,
): { readonly record: Deposit | SuspenseItem | undefined } | ReadMore<FoundDeposit> {
  if (deposit === unread) return { readMore: { deposit: deposits.at(programId, depositId) } };
  if (deposit) return { record: deposit };
  if (suspense === unread) return { readMore: { suspense: suspenseItems.at(programId, depositId) } };
  // It was assigned between the two reads: the deposit exists now.
  if (suspense?.status === SuspenseStatus.assigned)
    return { readMore: { deposit: deposits.at(programId, depositId) } };
  return { record: suspense };
}

const illegal: Rejected<"ILLEGAL_TRANSITION"> = { rejected: "ILLEGAL_TRANSITION" };

/** A return that overtakes the clearing reverses the pending deposit. Default: all is returned. */
export function settle(
  record: Deposit | SuspenseItem,
  trigger: DepositTrigger,
  at: Date,
  returnedMinor?: number,
): DecidedDeposit | Rejected<"ILLEGAL_TRANSITION"> {
  const { depositId, status } = record;
  const isEarly = trigger === "return" && status === DepositStatus.pending;
  const step = isEarly ? "reverse" : trigger;
  if (!depositTransitions.some((one) => one.from === status && one.trigger === step)) return illegal;
  const left = leftMinor(record);
  // No part of money that has not come yet can go back.
  if (returnedMinor !== undefined && (returnedMinor > left || (isEarly && returnedMinor < left)))
    return illegal;
  if ("suspenseId" in record) {
    const { suspenseId } = record;
    const answer = { outcome: "applied", depositId, suspenseId } as const;
    return { ...settleSuspense(record, step, at, returnedMinor), answer };
  }
  return applied(record, settleDeposit(record, step, at, { amountMinor: returnedMinor }));
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
): DecidedDeposit | Rejected<"ILLEGAL_TRANSITION"> {
  const { status, channel, expiresAt } = deposit;
  if ((channel === "bank" && expiresAt === undefined) || deposit.isReported) return illegal;
  if (status === DepositStatus.pending)
    return applied(deposit, settleDeposit(deposit, "clear", at, { amountMinor, isReport: true }));
  if (status !== DepositStatus.cleared || amountMinor !== deposit.amountMinor) return illegal;
  return applied(deposit, { commit: noteReport(deposit, at), redelivery: undefined });
}
