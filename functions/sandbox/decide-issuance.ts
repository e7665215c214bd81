import { getCard, toCardView } from "../../shared/domain/cards/card.ts";
import { applyEvent } from "../../shared/domain/network/apply-event.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { newId } from "../../shared/platform/id.ts";
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
  return toCardView(await getCard(programId, cardId));
};
