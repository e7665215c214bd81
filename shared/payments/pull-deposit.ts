import { later, nothing, type ReadMore, type Unread, unread } from "../changes/change.ts";
import { DepositStatus } from "../contract/enums.ts";
import { type Deposit, deposits } from "../deposits/deposit.ts";
import { settleDeposit } from "../deposits/deposit-change.ts";
import { type Pull, pulls } from "./pull.ts";
import { asPull } from "./pull-step.ts";

export interface FoundPull {
  readonly pull: Pull | undefined;
  /** Only what was collected has one. */
  readonly deposit: Deposit | undefined | Unread;
}

export function pullReads(programId: string, pullId: string) {
  return { pull: pulls.at(programId, pullId), deposit: later<Deposit>(nothing) };
}

/** The deposit of what was collected: the decision asks for it. */
export function findDeposit(
  { programId, depositId }: Pull,
  deposit: FoundPull["deposit"],
): { readonly deposit: Deposit | undefined } | ReadMore<FoundPull> {
  if (depositId === undefined) return { deposit: undefined };
  if (deposit === unread) return { readMore: { deposit: deposits.at(programId, depositId) } };
  return { deposit };
}

/** Takes back what has come: the pending deposit, or money, also below zero. */
export function takeBack(deposit: Deposit | undefined, at: Date) {
  if (deposit?.status === DepositStatus.pending)
    return asPull(settleDeposit(deposit, "reverse", at), "pull_reversed");
  if (deposit?.status === DepositStatus.cleared)
    return asPull(settleDeposit(deposit, "return", at), "pull_returned");
  return undefined;
}
