import { askVault } from "../../shared/cards/ask-vault.ts";
import { type Card, getCard } from "../../shared/cards/card.ts";
import { shownPlasticId } from "../../shared/cards/card-plastic.ts";
import { toCardStatusError } from "../../shared/cards/card-status.ts";
import { isBlocked } from "../../shared/cards/usable.ts";
import { CardStatus, inUse } from "../../shared/contract/enums.ts";
import {
  isLive,
  type Plastic,
  plastics,
  toShownPlastic,
  toVaultCard,
} from "../../shared/plastics/plastic.ts";
import { ApiError, invalid, statusError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { newId } from "../../shared/platform/id.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { auditRequest } from "../../shared/tenancy/audit-log.ts";

/**
 * The audit entry is written before the answer leaves, so that nothing is revealed without one.
 * What the vault rejects has one too.
 * @throws ApiError ILLEGAL_TRANSITION for a Pending or Closed Card; VALIDATION_FAILED for a key
 * that is no point of the curve
 */
export const revealCard: Operations["POST /cards/{cardId}/reveal"] = async (request) => {
  const { programId } = request.scope;
  const card = await requireInUse(programId, request.path.cardId);
  const { publicKey, plasticId } = request.body;
  const plastic = await requirePlastic(programId, card, plasticId ?? shownPlasticId(card));
  const answer = await askVault("reveal", { ...toVaultCard(programId, plastic), publicKey });
  const isRevealed = answer.outcome === "revealed";
  const action = isRevealed ? "reveal" : "reveal.reject";
  const after = isRevealed ? null : { reason: answer.outcome };
  await transact([auditRequest(request, action, card.entityId, { before: null, after })]);
  switch (answer.outcome) {
    case "key-used":
      throw new ApiError("KEY_USED");
    case "limited":
      throw new ApiError("RATE_LIMITED");
    case "key-invalid":
      throw invalid("body.publicKey", "invalid_key", "must be a point of the curve P-256");
  }
  const { jwe, expiresAt } = answer;
  return { jwe, expiresAt };
};

/**
 * The vault writes the record with the PIN, so that there is never one without the other.
 * It is set for the plastic's number, and so for all plastics with that number.
 * @throws ApiError ILLEGAL_TRANSITION for a Pending or Closed Card, or a plastic that has ended
 */
export const setPin: Operations["PUT /cards/{cardId}/pin"] = async ({ scope, path, body }) => {
  const { programId } = scope;
  const card = await requireInUse(programId, path.cardId);
  const transId = newId("transaction");
  const { cardholderId, currency } = card;
  const plasticId = body.plasticId ?? card.pendingPlasticId ?? shownPlasticId(card);
  const plastic = await requirePlastic(programId, card, plasticId);
  const input = { ...toVaultCard(programId, plastic), cardholderId, currency, jwe: body.jwe, transId };
  const answer = await askVault("set-pin", input);
  switch (answer.outcome) {
    case "unreadable":
      throw invalid(
        "body.jwe",
        "unreadable",
        "was not encrypted for the key of GET /vault/key, or was changed",
      );
    case "invalid":
      throw invalid(`body.jwe.${answer.field}`, "invalid", answer.reason);
    case "nonce-used":
      throw new ApiError("NONCE_USED");
    case "card-closed":
      throw statusError(CardStatus.closed, inUse, CardStatus);
  }
  return { transId };
};

export const viewVaultKey: Operations["GET /vault/key"] = () => askVault("public-key", {});

/** A Card on hold, or not activated yet, has data that its Cardholder may see. */
async function requireInUse(programId: string, cardId: string): Promise<Card> {
  const card = await getCard(programId, cardId);
  if (isBlocked(card) || !inUse.includes(card.issuerCardStatus)) throw toCardStatusError(card, inUse);
  return card;
}

/**
 * The Card itself has what is needed of the plastic that it shows.
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION for one that is neither active nor pending
 */
async function requirePlastic(programId: string, card: Card, plasticId: string): Promise<Plastic> {
  if (plasticId === shownPlasticId(card)) return toShownPlastic(card);
  const plastic = await plastics.at(programId, card.entityId, plasticId).require("body.plasticId");
  if (!isLive(plastic)) throw statusError(plastic.state, ["active", "pending"]);
  return plastic;
}
