import type { Balances } from "../contract/balances.ts";
import type { AccountBalances } from "../ledger/account.ts";
import type { Card } from "./card.ts";

/** What a Card that spends from a Wallet may still spend, and holds of it. */
interface Spendable {
  readonly spendableMinor: number;
  readonly heldMinor: number;
}

export function toSpendable(
  { fundedHeldMinor = 0 }: Pick<Card, "fundedHeldMinor">,
  wallet: Pick<AccountBalances, "availableMinor"> | undefined,
): Spendable {
  return { spendableMinor: Math.max(0, wallet?.availableMinor ?? 0), heldMinor: fundedHeldMinor };
}

/** As at a till, where the Wallet's own balance is not shown. */
export function addHeld(
  { spendableMinor, heldMinor }: Spendable,
  change: Pick<AccountBalances, "availableMinor" | "heldMinor"> = { availableMinor: 0, heldMinor: 0 },
): Balances {
  const availableBalance = Math.max(0, spendableMinor + change.availableMinor);
  return { availableBalance, ledgerBalance: availableBalance + heldMinor + change.heldMinor };
}
