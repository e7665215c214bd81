import type { Card } from "../../shared/cards/card.ts";
import { errorCatalogue } from "../../shared/contract/errors.ts";

/** With the amounts that are on the Card. */
export function notEmpty({ heldMinor, fundedHeldMinor = 0, pendingDepositMinor, availableMinor }: Card) {
  const held = `held ${heldMinor + fundedHeldMinor}`;
  const amounts = `${held}, pending ${pendingDepositMinor}, available ${availableMinor}`;
  const message = `${errorCatalogue.CARD_NOT_EMPTY.message.slice(0, -1)}: ${amounts}.`;
  return { rejected: "CARD_NOT_EMPTY", message } as const;
}
