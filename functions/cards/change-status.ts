import { CardStatus } from "../../shared/contract/enums.ts";
import { getCard } from "../../shared/domain/cards/card.ts";
import { changeCardStatus, toCardStatusError } from "../../shared/domain/cards/card-status.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import type { CardOperations } from "./operations.ts";

const triggerOf = { [CardStatus.active]: "release", [CardStatus.onHold]: "hold" } as const;

/**
 * Puts an Active Card On Hold (2) or releases it (1). Setting the current status is an illegal transition
 * too.
 * @throws ApiError NOT_FOUND; CARD_BLOCKED; ILLEGAL_TRANSITION
 */
export const changeStatus: CardOperations["PUT /cards/{cardId}/status"] = async ({ scope, path, body }) => {
  const card = await getCard(scope.programId, path.cardId);
  const outcome = await transact(changeCardStatus(scope.programId, card, triggerOf[body.status]));
  if (!outcome.committed) throw toCardStatusError(outcome.failedConditions.get("card"));
  return { status: body.status };
};
