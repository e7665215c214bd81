import type { HoldState } from "../authorizations/holds/hold.ts";
import { heldMinor } from "../authorizations/holds/hold-rules.ts";
import type { BalanceProof, Identity } from "../contract/balances.ts";
import { DepositStatus, TransactionStatus } from "../contract/enums.ts";
import type { Deposit } from "../deposits/deposit.ts";
import type { Account, AccountBalances, StoredAccount } from "../ledger/account.ts";
import type { JournalEntry } from "../ledger/journal-entry.ts";
import { balanceChanges, zeroBalances } from "../ledger/postings.ts";
import { findSwept } from "../ledger/stored-entry.ts";
import { type Payout, payoutHeldMinor } from "../payments/payout.ts";
import { timestamp } from "../platform/clock.ts";
import type { Fee } from "../transactions/fee.ts";
import type { Transaction } from "../transactions/transaction.ts";
import { type Checkpoint, checkpointTime } from "./checkpoint.ts";

/** Sums of journal and records, in minor units, computed without the stored balances. */
export interface AccountSums {
  readonly journalEntries: number;
  /** By how much entries fail to sum to zero, all together. */
  readonly imbalanceMinor: number;
  readonly balances: AccountBalances;
  /** Excludes pending deposits that were reversed. */
  readonly depositsAndCreditsMinor: number;
  readonly settledDebitsMinor: number;
  /** What the lists of transactions and fees add up to. */
  readonly statementMinor: number;
  readonly openHolds: CountedSum;
  readonly pendingDeposits: CountedSum;
  /** There if the Card has spent from Wallets. */
  readonly funding?: FundingSums | undefined;
}

/** What Wallets paid for a Card, credits less debits. */
export interface FundingSums {
  readonly recordsMinor: number;
  readonly entriesMinor: number;
  readonly openHolds?: CountedSum | undefined;
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

/** What a Card's own account gave to the Wallet that pays now is on no statement's record. */
export function withEntry(sums: AccountSums, accountId: string, entry: JournalEntry): AccountSums {
  const sweptMinor = (accountId === entry.cardId && findSwept(entry)?.amountMinor) || 0;
  const change = balanceChanges(entry.postings).get(accountId) ?? zeroBalances;
  const isCredit = change.ledgerMinor > 0 || entry.kind === "deposit_reversed";
  return {
    ...sums,
    journalEntries: sums.journalEntries + 1,
    imbalanceMinor: sums.imbalanceMinor + Math.abs(getImbalanceMinor(entry)),
    balances: {
      availableMinor: sums.balances.availableMinor + change.availableMinor,
      heldMinor: sums.balances.heldMinor + change.heldMinor,
      pendingDepositMinor: sums.balances.pendingDepositMinor + change.pendingDepositMinor,
      ledgerMinor: sums.balances.ledgerMinor + change.ledgerMinor,
    },
    depositsAndCreditsMinor: sums.depositsAndCreditsMinor + (isCredit ? change.ledgerMinor : 0),
    settledDebitsMinor: sums.settledDebitsMinor - (isCredit ? 0 : change.ledgerMinor),
    statementMinor: sums.statementMinor - sweptMinor,
  };
}

/** What an entry's postings sum to: anything but zero is money made from nothing, or lost. */
export function getImbalanceMinor({ postings }: JournalEntry): number {
  return postings.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
}

/** Adds a transaction that lists show. One that was declined or failed is on no statement. */
export function withTransaction(
  sums: AccountSums,
  { type, transStatus, amountMinor, fundingWalletId }: Transaction,
): AccountSums {
  if (transStatus === TransactionStatus.declined || transStatus === TransactionStatus.error) return sums;
  return withRecord(sums, type === "CR" ? amountMinor : -amountMinor, fundingWalletId);
}

export function withFee(sums: AccountSums, { amountMinor, transStatus, fundingWalletId }: Fee): AccountSums {
  if (transStatus === TransactionStatus.error) return sums;
  return withRecord(sums, -amountMinor, fundingWalletId);
}

function withRecord(sums: AccountSums, addedMinor: number, walletId: string | undefined): AccountSums {
  if (walletId === undefined) return { ...sums, statementMinor: sums.statementMinor + addedMinor };
  return withFunding(sums, { recordsMinor: addedMinor });
}

/** Adds what a Wallet paid. */
export function withFunding(sums: AccountSums, added: Partial<FundingSums>): AccountSums {
  const { recordsMinor = 0, entriesMinor = 0, openHolds } = sums.funding ?? {};
  return {
    ...sums,
    funding: {
      ...(openHolds && { openHolds }),
      recordsMinor: recordsMinor + (added.recordsMinor ?? 0),
      entriesMinor: entriesMinor + (added.entriesMinor ?? 0),
    },
  };
}

/** Adds a hold as far as it is open. */
export function withHold(sums: AccountSums, hold: HoldState): AccountSums {
  return { ...sums, openHolds: counted(sums.openHolds, heldMinor(hold)) };
}

/** Adds what a Wallet holds for a payout. */
export function withPayout(sums: AccountSums, payout: Payout): AccountSums {
  return { ...sums, openHolds: counted(sums.openHolds, payoutHeldMinor(payout)) };
}

/** Adds a Card's hold on a Wallet. */
export function withFundedHold(sums: AccountSums, hold: HoldState): AccountSums {
  const { funding } = withFunding(sums, {});
  const openHolds = counted(sums.funding?.openHolds ?? noSums.openHolds, heldMinor(hold));
  return { ...sums, ...(funding && { funding: { ...funding, openHolds } }) };
}

export function withDeposit(sums: AccountSums, { status, amountMinor }: Deposit): AccountSums {
  return status === DepositStatus.pending
    ? { ...sums, pendingDeposits: counted(sums.pendingDeposits, amountMinor) }
    : sums;
}

function counted(sum: CountedSum, amountMinor: number): CountedSum {
  return amountMinor === 0 ? sum : { count: sum.count + 1, amountMinor: sum.amountMinor + amountMinor };
}

/** Double entry, recorded holds and pending deposits, stored balances and a card's statement. */
export function toIdentities(sums: AccountSums, stored: StoredAccount, isCard: boolean): Identity[] {
  const { balances, openHolds, pendingDeposits, depositsAndCreditsMinor, settledDebitsMinor } = sums;
  const { availableMinor, heldMinor, pendingDepositMinor, ledgerMinor } = balances;
  const held = openHolds.amountMinor;
  const pending = pendingDeposits.amountMinor;
  const credits = depositsAndCreditsMinor;
  return [
    identity(
      "outstanding",
      { "ledgerBalance - availableBalance": ledgerMinor - availableMinor },
      { "openHolds + pendingDeposits": held + pending },
    ),
    identity(
      "ledger",
      { ledgerBalance: ledgerMinor },
      { "depositsAndCredits - settledDebits": credits - settledDebitsMinor },
    ),
    identity(
      "available",
      { availableBalance: availableMinor },
      {
        "clearedDepositsAndCredits - settledDebits - openHolds":
          credits - pending - settledDebitsMinor - held,
      },
    ),
    identity("holds", { "postings of holds": heldMinor }, { openHolds: held }),
    identity(
      "pending",
      { "postings of pending deposits": pendingDepositMinor },
      { pendingDeposits: pending },
    ),
    identity("doubleEntry", { "what entries fail to sum to zero by": sums.imbalanceMinor }, { zero: 0 }),
    ...storedIdentities(sums, stored),
    ...(isCard
      ? [
          identity(
            "statement",
            { ledgerBalance: ledgerMinor },
            { "transactions and fees, credits less debits": sums.statementMinor },
          ),
          ...fundingIdentities(sums, stored),
        ]
      : []),
  ];
}

/** What the account has counted itself, and what its journal and records say. */
function storedIdentities(sums: AccountSums, stored: StoredAccount): Identity[] {
  const { availableMinor, ledgerMinor } = sums.balances;
  const held = sums.openHolds.amountMinor;
  const pending = sums.pendingDeposits.amountMinor;
  return [
    identity(
      "storedAvailable",
      { "stored.availableBalance": stored.availableMinor },
      { availableBalance: availableMinor },
    ),
    identity("storedLedger", { "stored.ledgerBalance": stored.ledgerMinor }, { ledgerBalance: ledgerMinor }),
    identity("storedHeld", { "stored holds": stored.heldMinor }, { openHolds: held }),
    identity(
      "storedPending",
      { "stored pending deposits": stored.pendingDepositMinor },
      { pendingDeposits: pending },
    ),
    identity(
      "entries",
      { "entries that the account counted": stored.entries },
      { journalEntries: sums.journalEntries },
    ),
  ];
}

/** A Card's records of what Wallets paid, and their journals; the holds that it has on Wallets. */
function fundingIdentities({ funding }: AccountSums, { fundedHeldMinor = 0 }: StoredAccount): Identity[] {
  if (!funding && fundedHeldMinor === 0) return [];
  const { recordsMinor = 0, entriesMinor = 0, openHolds } = funding ?? {};
  return [
    identity(
      "funding",
      { "transactions and fees that Wallets paid, credits less debits": recordsMinor },
      { "their entries in the journals of the Wallets": entriesMinor },
    ),
    identity(
      "fundingHolds",
      { "stored holds on Wallets": fundedHeldMinor },
      { "openHolds on Wallets": openHolds?.amountMinor ?? 0 },
    ),
  ];
}

/** Named terms and their amounts. */
type Side = Readonly<Record<string, number>>;

function identity(name: Identity["name"], left: Side, right: Side): Identity {
  const [leftSide, rightSide] = [toSide(left), toSide(right)];
  return { name, left: leftSide, right: rightSide, holds: leftSide.amount === rightSide.amount };
}

function toSide(side: Side): Identity["left"] {
  const [[expression, amount] = ["", 0]] = Object.entries(side);
  return { expression, amount };
}

export interface Proven {
  readonly sums: AccountSums;
  readonly stored: StoredAccount;
  readonly kind: Account["kind"];
  /** What the sums began with. */
  readonly checkpoint?: Checkpoint | undefined;
  readonly provenAt: string;
}

export function toBalanceProof({ sums, stored, kind, checkpoint, provenAt }: Proven): BalanceProof {
  const { openHolds, pendingDeposits } = sums;
  const identities = toIdentities(sums, stored, kind === "card");
  return {
    currency: stored.currency,
    journalEntries: sums.journalEntries,
    ...(checkpoint && {
      checkpoint: {
        journalEntries: checkpoint.journalEntries,
        until: timestamp(checkpointTime(checkpoint)),
      },
    }),
    availableBalance: sums.balances.availableMinor,
    ledgerBalance: sums.balances.ledgerMinor,
    depositsAndCredits: sums.depositsAndCreditsMinor,
    clearedDepositsAndCredits: sums.depositsAndCreditsMinor - pendingDeposits.amountMinor,
    settledDebits: sums.settledDebitsMinor,
    openHolds: { count: openHolds.count, amount: openHolds.amountMinor },
    pendingDeposits: { count: pendingDeposits.count, amount: pendingDeposits.amountMinor },
    stored: { availableBalance: stored.availableMinor, ledgerBalance: stored.ledgerMinor },
    identities,
    proven: identities.every(({ holds }) => holds),
    provenAt,
  };
}
