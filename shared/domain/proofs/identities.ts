import type { BalanceProof, Identity } from "../../contract/balances.ts";
import type { StoredAccount } from "../ledger/account.ts";
import type { AccountSums } from "./account-sums.ts";

/**
 * The specification's identities of balances, and those behind them: double entry, recorded holds and pending
 * deposits, stored balances and, for a card, its statement. Minor units.
 */
export function identitiesOf(sums: AccountSums, stored: StoredAccount, isCard: boolean): Identity[] {
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
    ...(isCard
      ? [
          identity(
            "statement",
            { ledgerBalance: ledgerMinor },
            { "transactions and fees, credits less debits": sums.statementMinor },
          ),
        ]
      : []),
  ];
}

/** Named terms and their amounts. */
type Side = Readonly<Record<string, number>>;

function identity(name: Identity["name"], left: Side, right: Side): Identity {
  const [leftSide, rightSide] = [sideOf(left), sideOf(right)];
  return { name, left: leftSide, right: rightSide, holds: leftSide.amount === rightSide.amount };
}

function sideOf(side: Side): Identity["left"] {
  const [[expression, amount] = ["", 0]] = Object.entries(side);
  return { expression, amount };
}

export function toBalanceProof(
  sums: AccountSums,
  stored: StoredAccount,
  isCard: boolean,
  provenAt: string,
): BalanceProof {
  const { openHolds, pendingDeposits } = sums;
  const identities = identitiesOf(sums, stored, isCard);
  return {
    currency: stored.currency,
    journalEntries: sums.journalEntries,
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
