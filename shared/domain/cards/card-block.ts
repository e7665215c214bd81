import { absent, any, present } from "../../platform/table/condition.ts";

/**
 * Why the platform has stopped a Card: a block of the Card itself, and one of its Cardholder. Each is lifted by itself, and either is enough.
 * ISO 8601 UTC.
 */
export interface CardBlocks {
  readonly blockedAt?: string | undefined;
  readonly cardholderBlockedAt?: string | undefined;
}

export function isBlocked({ blockedAt, cardholderBlockedAt }: CardBlocks): boolean {
  return blockedAt !== undefined || cardholderBlockedAt !== undefined;
}

/** The same, as conditions of a write. */
export const isNotBlocked = { blockedAt: absent, cardholderBlockedAt: absent };
export const isStillBlocked = any<CardBlocks>({ blockedAt: present }, { cardholderBlockedAt: present });
