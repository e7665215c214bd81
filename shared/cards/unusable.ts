import { CardStatus } from "../contract/enums.ts";
import { type Card, isBlocked, isExpired } from "./card.ts";

const unusable = {
  [CardStatus.pending]: "CARD_PENDING",
  [CardStatus.onHold]: "CARD_ON_HOLD",
  [CardStatus.closed]: "CARD_CLOSED",
  [CardStatus.notActivated]: "CARD_NOT_ACTIVATED",
} as const;

/** Why a Card with the status cannot be used. Undefined for Active. */
export function unusableReason(status: CardStatus) {
  return status === CardStatus.active ? undefined : unusable[status];
}

/** Why the Card cannot be used now, whatever it has. Undefined if it can. */
export function findUnusable(card: Card, at: Date) {
  if (isBlocked(card)) return "CARD_BLOCKED";
  const reason = unusableReason(card.issuerCardStatus);
  return reason ?? (isExpired(card, at) ? "CARD_EXPIRED" : undefined);
}
