import type { Currency } from "../../contract/enums.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import { type Card, cards } from "./card.ts";
import { maskCardNumber } from "./card-number.ts";

/** What never changes of a card that was issued, and every record and notification of its money needs. */
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

/** Who the card is, if this worker has seen it before. */
export function knownCard(programId: string, cardId: string): CardIdentity | undefined {
  return kept.get(issuingKey.card(programId, cardId).pk);
}

/**
 * Who the card is. Read once and kept from then on, since it never changes: an event on a card that this worker has seen before needs no
 * read for it. Undefined where the Program has no card by this id, which is not kept, since it may still be issued.
 */
export async function cardIdentity(programId: string, cardId: string): Promise<CardIdentity | undefined> {
  const known = knownCard(programId, cardId);
  if (known) return known;
  const card = await cards.at(programId, cardId).get();
  return card && rememberCard(programId, card);
}

/** Keeps who a card is that was read for another reason. */
export function rememberCard(programId: string, card: Card): CardIdentity {
  const identity = identityOf(programId, card);
  const [oldest] = kept.keys();
  if (kept.size >= keptCards && oldest !== undefined) kept.delete(oldest);
  kept.set(issuingKey.card(programId, identity.cardId).pk, identity);
  return identity;
}

/** The identity in a card's item. */
export function identityOf(programId: string, card: Card): CardIdentity {
  const { entityId: cardId, cardholderId, currency, cardToken } = card;
  return { programId, cardId, cardholderId, currency, cardToken, maskedCardNumber: maskCardNumber(card) };
}
