import { ApiError } from "../../shared/api-error.ts";
import { cardView, getCard } from "../../shared/card/card.ts";
import { newId } from "../../shared/id.ts";
import { applyEvent } from "../../shared/processor/apply-event.ts";
import type { SandboxOperations } from "./operations.ts";

/**
 * Approves or declines an issuance that waits for it, by the same event as the platform's administration.
 *
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION when it was decided before, or the Cardholder is not Approved any more
 */
export const decideIssuance: SandboxOperations["POST /cards/{cardId}/approval"] = async ({
  scope: { programId },
  path: { cardId },
  body: { cardStatus },
}) => {
  const eventId = newId("event");
  const result = await applyEvent({ kind: "card_approval", eventId, programId, cardId, cardStatus });
  if (result.outcome === "refused") throw new ApiError(result.code);
  return cardView(await getCard(programId, cardId));
};
