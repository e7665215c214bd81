import { type Card, cards, getCard } from "../../shared/cards/card.ts";
import { cardTransitions, changeCardStatus, toCardStatusError } from "../../shared/cards/card-status.ts";
import { toCardView } from "../../shared/cards/card-view.ts";
import { isBlocked } from "../../shared/cards/usable.ts";
import { CardStatus } from "../../shared/contract/enums.ts";
import { activatePlastic } from "../../shared/plastics/activate.ts";
import { tellUpdateNow } from "../../shared/plastics/tell-update.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { withMetadata } from "../../shared/platform/labels.ts";
import { Conflict, retry } from "../../shared/platform/table/retry.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { findStep } from "../../shared/platform/table/transition.ts";
import { toActor } from "../../shared/tenancy/audit-log.ts";

const triggers = { [CardStatus.active]: "release", [CardStatus.onHold]: "hold" } as const;

/**
 * Puts an Active Card On Hold (2) or releases it (1). Setting the current status is an illegal
 * transition too.
 */
export const changeStatus: Operations["PUT /cards/{cardId}/status"] = async ({ scope, path, body }) => {
  const { programId } = scope;
  const { from } = findStep(cardTransitions, triggers[body.status]);
  let card = await getCard(programId, path.cardId);
  await retry(async () => {
    const outcome = await transact(changeCardStatus(programId, card, triggers[body.status]));
    if (outcome.committed) return undefined;
    const stored = cards.parse(outcome.failedConditions.get("card"));
    // Replaced meanwhile: the list has other digits.
    if (!stored || stored.plasticId === card.plasticId) throw toCardStatusError(stored, from);
    card = stored;
    return new Conflict("card");
  });
  return { status: body.status };
};

/**
 * Activates a physical Card (4→1). Attempts are not counted: the Program sees the same digits in
 * the Card's view, and a count would let a stranger lock a Cardholder out.
 * @throws ApiError VALIDATION_FAILED naming each field that does not match
 */
export const activateCard: Operations["POST /cards/{cardId}/activate"] = async (request) => {
  const { scope, path, body } = request;
  const { tenantId, programId } = scope;
  const card = await getCard(programId, path.cardId);
  if (card.pendingPlasticId !== undefined) {
    const by = { tenantId, programId, actor: toActor(request) };
    const activated = await activatePlastic(card, { ...by, requireMatch: (one) => requireMatch(one, body) });
    await tellUpdateNow(programId, card.pendingPlasticId);
    return withMetadata(programId, path.cardId, toCardView(activated));
  }
  const activation = findStep(cardTransitions, "activate");
  if (isBlocked(card) || !activation.from.includes(card.issuerCardStatus))
    throw toCardStatusError(card, activation.from);
  requireMatch(card, body);
  const outcome = await transact(changeCardStatus(programId, card, "activate"));
  if (!outcome.committed)
    throw toCardStatusError(cards.parse(outcome.failedConditions.get("card")), activation.from);
  const view = toCardView({ ...card, issuerCardStatus: activation.to });
  return withMetadata(programId, path.cardId, view);
};

const printedFields = ["lastFour", "expiryMonth", "expiryYear"] as const;

type Printed = Pick<Card, (typeof printedFields)[number]>;

function requireMatch(card: Printed, printed: Printed): void {
  const mismatches = printedFields.filter((field) => card[field] !== printed[field]);
  if (mismatches.length === 0) return;
  throw new ApiError(
    "VALIDATION_FAILED",
    mismatches.map((field) => ({
      path: `body.${field}`,
      code: "mismatch",
      message: "does not match the card",
    })),
  );
}
