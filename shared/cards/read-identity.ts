import { type CardIdentity, cacheCard, cards, findCachedCard } from "./card.ts";

/**
 * Cached after the first read, since it never changes. Undefined if the Program has no such card;
 * not cached, since it may still be issued.
 */
export async function readCardIdentity(programId: string, cardId: string): Promise<CardIdentity | undefined> {
  const known = findCachedCard(programId, cardId);
  if (known) return known;
  const card = await cards.at(programId, cardId).get();
  return card && cacheCard(programId, card);
}
