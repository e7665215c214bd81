import { absent, any, present } from "../../platform/table/condition.ts";

/**
 * Blocks by the platform, of the Card itself and of its Cardholder. Each is lifted separately; either stops
 * the Card. ISO 8601 UTC.
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
