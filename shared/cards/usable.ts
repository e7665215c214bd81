import { CardStatus } from "../contract/enums.ts";
import { above, absent, all, any, atLeast, type Condition, present } from "../platform/table/condition.ts";
import { type Card, hasStatusIn } from "./card.ts";

const unusable = {
  [CardStatus.pending]: "CARD_PENDING",
  [CardStatus.onHold]: "CARD_ON_HOLD",
  [CardStatus.closed]: "CARD_CLOSED",
  [CardStatus.notActivated]: "CARD_NOT_ACTIVATED",
} as const;

/** Why the Card cannot be used now, whatever it has. Undefined if it can. */
export function findUnusable(card: Card, at: Date) {
  if (isBlocked(card)) return "CARD_BLOCKED";
  if (card.issuerCardStatus !== CardStatus.active) return unusable[card.issuerCardStatus];
  return isExpired(card, at) ? "CARD_EXPIRED" : undefined;
}

/**
 * The platform blocks a Card itself or through its Cardholder. Each is lifted separately; either
 * stops the Card.
 */
export type CardBlocks = Pick<Card, "blockedAt" | "cardholderBlockedAt">;

export function isBlocked({ blockedAt, cardholderBlockedAt }: CardBlocks): boolean {
  return blockedAt !== undefined || cardholderBlockedAt !== undefined;
}

/** As conditions of a write. */
export const isNotBlocked = { blockedAt: absent, cardholderBlockedAt: absent };
export const isStillBlocked = any<CardBlocks>({ blockedAt: present }, { cardholderBlockedAt: present });

/** A Card is valid to the end of this month, in UTC. */
export type Expiry = Pick<Card, "expiryMonth" | "expiryYear">;

/** The first month that a Card valid at `at` may expire in. */
function earliestExpiry(at: Date): Expiry {
  return { expiryMonth: at.getUTCMonth() + 1, expiryYear: at.getUTCFullYear() };
}

export function isExpired(card: Expiry, at: Date): boolean {
  const countMonths = ({ expiryYear, expiryMonth }: Expiry) => 12 * expiryYear + expiryMonth;
  return countMonths(card) < countMonths(earliestExpiry(at));
}

export function isValidAt(at: Date): Condition<Card> {
  const { expiryYear, expiryMonth } = earliestExpiry(at);
  return any({ expiryYear: above(expiryYear) }, { expiryYear, expiryMonth: atLeast(expiryMonth) });
}

/** Active, not blocked, not expired. */
export function isUsableAt(at: Date): Condition<Card> {
  return all(hasStatusIn([CardStatus.active]), isNotBlocked, isValidAt(at));
}
