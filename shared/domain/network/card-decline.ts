import { CardStatus } from "../../contract/enums.ts";
import type { AuthorizationDeclineReason } from "../../contract/transactions.ts";
import { isBlocked } from "../cards/card-block.ts";
import { isExpired } from "../cards/expiry.ts";
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

/** What a card must be to be used at all: Active, not blocked and not expired. */
export function usable(at: Date): AccountRequirements {
  return { issuerCardStatusIn: [CardStatus.active], blocked: false, validAt: at };
}

/** What must hold of a card for so much to be held on it. */
export function holding(amountMinor: number, at: Date): AccountRequirements {
  return { ...usable(at), availableAtLeastMinor: amountMinor };
}

/** Why so much cannot be held on the card as it was met; undefined where it can, so that the decision is made once more. */
export function declineOf(card: StoredAccount, amountMinor: number, at: Date): Decline | undefined {
  const { issuerCardStatus = CardStatus.pending, expiryMonth = 0, expiryYear = 0, availableMinor } = card;
  if (isBlocked(card)) return { reason: "CARD_BLOCKED", require: { blocked: true } };
  const reason = reasonOf[issuerCardStatus];
  if (reason) return { reason, require: { issuerCardStatusIn: [issuerCardStatus] } };
  // A card does not become valid again: nothing has to be required for it.
  if (isExpired({ expiryMonth, expiryYear }, at)) return { reason: "CARD_EXPIRED" };
  if (availableMinor >= amountMinor) return undefined;
  return {
    reason: "INSUFFICIENT_FUNDS",
    require: { issuerCardStatusIn: [CardStatus.active], availableBelowMinor: amountMinor },
  };
}
