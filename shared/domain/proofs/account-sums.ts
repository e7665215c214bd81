import { DepositStatus, TransactionStatus } from "../../contract/enums.ts";
import type { Deposit } from "../deposits/deposit.ts";
import { type HoldState, outstandingMinor } from "../holds/hold.ts";
import type { JournalEntry } from "../ledger/journal-entry.ts";
import { type AccountBalances, balanceChanges, zeroBalances } from "../ledger/postings.ts";
import type { Transaction } from "../transactions/transaction.ts";

/** Sums of a card's or wallet's journal and records, in minor units, computed without its stored balances. */
export interface AccountSums {
  readonly journalEntries: number;
  /** By how much entries fail to sum to zero, all together. */
  readonly imbalanceMinor: number;
  readonly balances: AccountBalances;
  /** Everything that came in, less pending deposits that went back; and everything that went out. */
  readonly depositsAndCreditsMinor: number;
  readonly settledDebitsMinor: number;
  /** What the lists of transactions and fees add up to. */
  readonly statementMinor: number;
  readonly openHolds: CountedSum;
  readonly pendingDeposits: CountedSum;
}

interface CountedSum {
  readonly count: number;
  readonly amountMinor: number;
}

export const noSums: AccountSums = {
  journalEntries: 0,
  imbalanceMinor: 0,
  balances: zeroBalances,
  depositsAndCreditsMinor: 0,
  settledDebitsMinor: 0,
  statementMinor: 0,
  openHolds: { count: 0, amountMinor: 0 },
  pendingDeposits: { count: 0, amountMinor: 0 },
};

export function withEntry(sums: AccountSums, accountId: string, entry: JournalEntry): AccountSums {
  const change = balanceChanges(entry.postings).get(accountId) ?? zeroBalances;
  const isCredit = change.ledgerMinor > 0 || entry.kind === "deposit_reversed";
  return {
    ...sums,
    journalEntries: sums.journalEntries + 1,
    imbalanceMinor: sums.imbalanceMinor + Math.abs(imbalanceOf(entry)),
    balances: {
      availableMinor: sums.balances.availableMinor + change.availableMinor,
      heldMinor: sums.balances.heldMinor + change.heldMinor,
      pendingDepositMinor: sums.balances.pendingDepositMinor + change.pendingDepositMinor,
      ledgerMinor: sums.balances.ledgerMinor + change.ledgerMinor,
    },
    depositsAndCreditsMinor: sums.depositsAndCreditsMinor + (isCredit ? change.ledgerMinor : 0),
    settledDebitsMinor: sums.settledDebitsMinor - (isCredit ? 0 : change.ledgerMinor),
  };
}

/** What an entry's postings sum to: anything but zero is money made from nothing, or lost. */
export function imbalanceOf({ postings }: JournalEntry): number {
  return postings.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
}

/** Adds a transaction that lists show; a declined one is on no statement. */
export function withTransaction(
  sums: AccountSums,
  { type, transStatus, amountMinor }: Transaction,
): AccountSums {
  if (transStatus === TransactionStatus.declined) return sums;
  return { ...sums, statementMinor: sums.statementMinor + (type === "CR" ? amountMinor : -amountMinor) };
}

export function withFee(sums: AccountSums, { amountMinor }: { amountMinor: number }): AccountSums {
  return { ...sums, statementMinor: sums.statementMinor - amountMinor };
}

/** Adds a hold as far as it is open. */
export function withHold(sums: AccountSums, hold: HoldState): AccountSums {
  return { ...sums, openHolds: counted(sums.openHolds, outstandingMinor(hold)) };
}

export function withDeposit(sums: AccountSums, { status, amountMinor }: Deposit): AccountSums {
  return status === DepositStatus.pending
    ? { ...sums, pendingDeposits: counted(sums.pendingDeposits, amountMinor) }
    : sums;
}

function counted(sum: CountedSum, amountMinor: number): CountedSum {
  return amountMinor === 0 ? sum : { count: sum.count + 1, amountMinor: sum.amountMinor + amountMinor };
}
