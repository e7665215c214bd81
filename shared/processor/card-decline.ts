import { CardStatus } from "../contract/enums.ts";
import type { AuthorizationDeclineReason } from "../contract/transactions.ts";
import type { StoredAccount } from "../ledger/account.ts";
import type { AccountRequirements } from "../ledger/account-change.ts";

/** Why an authorization is declined, and what must still hold for that when the decline is recorded. */
export interface Decline {
  readonly reason: AuthorizationDeclineReason;
  readonly require?: AccountRequirements;
}

const reasonOf: Partial<Record<CardStatus, AuthorizationDeclineReason>> = {
  [CardStatus.pending]: "CARD_PENDING",
  [CardStatus.onHold]: "CARD_ON_HOLD",
  [CardStatus.closed]: "CARD_CLOSED",
  [CardStatus.notActivated]: "CARD_NOT_ACTIVATED",
};

/** What must hold of a card for so much to be held on it. */
export function holding(amountMinor: number): AccountRequirements {
  return { issuerCardStatusIn: [CardStatus.active], availableAtLeastMinor: amountMinor };
}

/** Why so much cannot be held on the card as it was met; undefined where it can, so that the decision is made once more. */
export function declineOf(
  { issuerCardStatus = CardStatus.pending, availableMinor }: StoredAccount,
  amountMinor: number,
): Decline | undefined {
  const reason = reasonOf[issuerCardStatus];
  if (reason) return { reason, require: { issuerCardStatusIn: [issuerCardStatus] } };
  if (availableMinor >= amountMinor) return undefined;
  return {
    reason: "INSUFFICIENT_FUNDS",
    require: { issuerCardStatusIn: [CardStatus.active], availableBelowMinor: amountMinor },
  };
}
