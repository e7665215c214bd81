import { CardForm } from "../contract/enums.ts";
import { toOtherId } from "../platform/id.ts";
import type { Card } from "./card.ts";
import type { Expiry } from "./usable.ts";

/** The Card's own ULID: Cards of before have it too. */
export function firstPlasticId(cardId: string): string {
  return toOtherId("plastic", cardId);
}

/** Whose number, expiry and shipping the Card has. */
export function shownPlasticId({ entityId, plasticId }: Pick<Card, "entityId" | "plasticId">): string {
  return plasticId ?? firstPlasticId(entityId);
}

/** Virtual three years, physical four, to the end of the issuing month. */
export function computeExpiry(cardForm: CardForm, issuedAt: Date): Expiry {
  return {
    expiryMonth: issuedAt.getUTCMonth() + 1,
    expiryYear: issuedAt.getUTCFullYear() + (cardForm === CardForm.virtual ? 3 : 4),
  };
}
