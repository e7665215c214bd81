import type { CardViewMasked } from "../../shared/contract/cards.ts";
import { CardStatus } from "../../shared/contract/enums.ts";
import { type Card, cards, getCard, toCardView } from "../../shared/domain/cards/card.ts";
import { isBlocked } from "../../shared/domain/cards/card-block.ts";
import { cardRefusal } from "../../shared/domain/cards/card-status.ts";
import { closing, isClosable } from "../../shared/domain/cards/closing.ts";
import { commitIdempotent } from "../../shared/domain/ledger/commit.ts";
import { now } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { Conflict, retryDecision } from "../../shared/platform/table/retry.ts";
import type { FailedConditions } from "../../shared/platform/table/transact.ts";
import type { CardOperations } from "./operations.ts";

/**
 * Closes a Card for good (1, 2 or 4 to 3). The same transaction sweeps its money to `sweepToWalletId` or pays
 * its debt from the Program's reserve, and counts one open card less. Balance and status are conditions: no
 * money is ever left on a closed card.
 * @throws ApiError NOT_FOUND for an unknown Card or Wallet; CARD_BLOCKED; ILLEGAL_TRANSITION; CARD_NOT_EMPTY
 * for open holds, pending deposits, or money and no Wallet; IDEMPOTENCY_MISMATCH
 */
export const closeCard: CardOperations["POST /cards/{cardId}/close"] = ({ scope, path, body, idempotency }) =>
  retryDecision(async () => {
    const card = await getCard(scope.programId, path.cardId);
    const answer: CardViewMasked = toCardView({ ...card, issuerCardStatus: CardStatus.closed });
    const commit = closing(scope.programId, card, body.sweepToWalletId, now());
    const result = await commitIdempotent(commit, idempotency, answer);
    if (result.outcome !== "failed") return result.answer;
    const error = refusal(result.failedConditions, card, body.sweepToWalletId !== undefined);
    if (error) throw error;
    return new Conflict("card");
  });

/** Undefined if only the status or balance changed meanwhile: then the Card can still be closed. */
function refusal(failedConditions: FailedConditions, seen: Card, sweeping: boolean): ApiError | undefined {
  if (failedConditions.has("wallet")) return new ApiError("NOT_FOUND");
  if (!failedConditions.has("card")) throw new Error("The Cardholder does not count the Card as open.");
  const card = cards.parse(failedConditions.get("card"));
  if (!card || isBlocked(card) || !isClosable(card)) return cardRefusal(card);
  if (card.issuerCardStatus !== seen.issuerCardStatus) return undefined;
  const { heldMinor, pendingDepositMinor, availableMinor } = card;
  const canBeEmptied = availableMinor <= 0 || sweeping;
  return heldMinor === 0 && pendingDepositMinor === 0 && canBeEmptied
    ? undefined
    : new ApiError("CARD_NOT_EMPTY");
}
