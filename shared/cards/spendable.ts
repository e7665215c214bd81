import type { Balances } from "../contract/balances.ts";
import type { AccountBalances } from "../ledger/account.ts";
import type { Card } from "./card.ts";

/** What a Card that spends from a Wallet may still spend, and holds of it. */
interface Spendable {
  readonly spendableMinor: number;
  readonly heldMinor: number;
}

/** `leftMinor`: what the Card's limit leaves, if it has one. */
export function toSpendable(
  { fundedHeldMinor = 0 }: Pick<Card, "fundedHeldMinor">,
  wallet: Pick<AccountBalances, "availableMinor"> | undefined,
  leftMinor = Number.POSITIVE_INFINITY,
): Spendable {
  const spendableMinor = Math.max(0, Math.min(wallet?.availableMinor ?? 0, leftMinor));
  return { spendableMinor, heldMinor: fundedHeldMinor };
}

/** As at a till, where the Wallet's own balance is not shown. */
export function atTill({ spendableMinor, heldMinor }: Spendable): Balances {
  return { availableBalance: spendableMinor, ledgerBalance: spendableMinor + heldMinor };
}
