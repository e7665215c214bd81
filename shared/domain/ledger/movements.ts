import type { ContraAccount, Posting } from "./posting.ts";

/**
 * The postings of each change of money: pure, in minor units. Accounts are cardIds and walletIds; `funding` is the
 * contra account that the money of a deposit comes from.
 */

/** Money goes from one card or wallet to another: transfers, and the sweep of a card that is closed. */
export function transferred(from: string, to: string, amountMinor: number): Posting[] {
  return [
    { account: `${from}:available`, amountMinor: -amountMinor },
    { account: `${to}:available`, amountMinor },
  ];
}

/** The Program's reserve pays what a card owes. */
export function debtSettled(card: string, amountMinor: number): Posting[] {
  return [
    { account: "program_reserve", amountMinor: -amountMinor },
    { account: `${card}:available`, amountMinor },
  ];
}

/** A deposit is announced: the ledger balance has it, nothing can be spent of it yet. */
export function depositPending(account: string, funding: ContraAccount, amountMinor: number): Posting[] {
  return [
    { account: funding, amountMinor: -amountMinor },
    { account: `${account}:pending`, amountMinor },
  ];
}

/** A pending deposit can be spent from now on. */
export function pendingDepositCleared(account: string, amountMinor: number): Posting[] {
  return [
    { account: `${account}:pending`, amountMinor: -amountMinor },
    { account: `${account}:available`, amountMinor },
  ];
}

/** A deposit that was never pending. */
export function depositCleared(account: string, funding: ContraAccount, amountMinor: number): Posting[] {
  return [
    { account: funding, amountMinor: -amountMinor },
    { account: `${account}:available`, amountMinor },
  ];
}

/** A cleared deposit goes back to where it came from, whatever is left of its money. */
export function depositReturned(account: string, funding: ContraAccount, amountMinor: number): Posting[] {
  return [
    { account: `${account}:available`, amountMinor: -amountMinor },
    { account: funding, amountMinor },
  ];
}

/** A pending deposit goes back to where it came from. */
export function pendingDepositReversed(
  account: string,
  funding: ContraAccount,
  amountMinor: number,
): Posting[] {
  return [
    { account: `${account}:pending`, amountMinor: -amountMinor },
    { account: funding, amountMinor },
  ];
}

/** A deposit that no card or wallet can take waits for the operator. */
export function depositSuspended(funding: ContraAccount, amountMinor: number): Posting[] {
  return [
    { account: funding, amountMinor: -amountMinor },
    { account: "suspense", amountMinor },
  ];
}

/** A deposit in suspense goes back to where it came from. */
export function suspenseReturned(funding: ContraAccount, amountMinor: number): Posting[] {
  return [
    { account: "suspense", amountMinor: -amountMinor },
    { account: funding, amountMinor },
  ];
}
