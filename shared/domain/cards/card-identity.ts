import type { Currency } from "../../contract/enums.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import { type Card, cards } from "./card.ts";
import { maskCardNumber } from "./card-number.ts";

/** The unchanging data of an issued card that its records and notifications need. */
export interface CardIdentity {
  readonly programId: string;
  readonly cardId: string;
  readonly cardholderId: string;
  readonly currency: Currency;
  readonly cardToken: string;
  readonly maskedCardNumber: string;
}

/** Some 2 MB when it is full. */
const keptCards = 10_000;
const kept = new Map<string, CardIdentity>();

/** Undefined if this worker has not read the card. */
export function knownCard(programId: string, cardId: string): CardIdentity | undefined {
  return kept.get(issuingKey.card(programId, cardId).pk);
}

/**
 * Cached after the first read, since it never changes. Undefined if the Program has no such card; not cached,
 * since it may still be issued.
 */
export async function cardIdentity(programId: string, cardId: string): Promise<CardIdentity | undefined> {
  const known = knownCard(programId, cardId);
  if (known) return known;
  const card = await cards.at(programId, cardId).get();
  return card && rememberCard(programId, card);
}

/** Caches the identity of a card that was read for another reason. */
export function rememberCard(programId: string, card: Card): CardIdentity {
  const identity = identityOf(programId, card);
  const [oldest] = kept.keys();
  if (kept.size >= keptCards && oldest !== undefined) kept.delete(oldest);
  kept.set(issuingKey.card(programId, identity.cardId).pk, identity);
  return identity;
}

export function identityOf(programId: string, card: Card): CardIdentity {
  const { entityId: cardId, cardholderId, currency, cardToken } = card;
  return { programId, cardId, cardholderId, currency, cardToken, maskedCardNumber: maskCardNumber(card) };
}
