import { type Card, cards } from "../cards/card.ts";
import { shownPlasticId } from "../cards/card-plastic.ts";
import {
  cardStatusEvent,
  cardTransitions,
  listedPlasticChange,
  toCardStatusError,
} from "../cards/card-status.ts";
import { isBlocked, isExpired } from "../cards/usable.ts";
import { CardStatus } from "../contract/enums.ts";
import { now, timestamp } from "../platform/clock.ts";
import { ApiError } from "../platform/http/api-error.ts";
import { type StoredItem, transact } from "../platform/table/transact.ts";
import { findStep } from "../platform/table/transition.ts";
import { type Actor, auditProgram } from "../tenancy/audit-log.ts";
import { untoldWrites } from "./account-update.ts";
import { isLive, isLoss, type Plastic, plastics, replaced } from "./plastic.ts";
import { isAsRead, plasticWrites, showing } from "./write-plastics.ts";

interface Activation {
  readonly tenantId: string;
  readonly programId: string;
  readonly actor: Actor;
  /** Whether what is printed is known. @throws ApiError VALIDATION_FAILED */
  readonly requireMatch: (plastic: Plastic) => void;
}

const activatable: readonly CardStatus[] = [CardStatus.active, CardStatus.onHold, CardStatus.notActivated];

/**
 * Activates the replacement that a Card awaits; the older ones end in the same commit. A Card on
 * hold stays so.
 * @throws ApiError ILLEGAL_TRANSITION for one that has expired, and if it was changed meanwhile
 */
export async function activatePlastic(card: Card, activation: Activation): Promise<Card> {
  const { programId, actor, requireMatch } = activation;
  const { entityId: cardId, pendingPlasticId = "" } = card;
  if (isBlocked(card) || !activatable.includes(card.issuerCardStatus)) throw toCardStatusError(card);
  const all = await plastics.list(programId, cardId);
  const pending = all.find(({ plasticId, state }) => plasticId === pendingPlasticId && state === "pending");
  const at = now();
  if (!pending || isExpired(pending, at)) throw new ApiError("ILLEGAL_TRANSITION");
  requireMatch(pending);
  const activatedAt = timestamp(at);
  const older = all.filter((one) => isLive(one) && one !== pending);
  const changed = [
    { ...pending, state: "active" as const, activatedAt },
    ...older.map((one) => replaced(one, activatedAt)),
  ];
  const { set, remove } = showing(pending);
  const first = card.issuerCardStatus === CardStatus.notActivated;
  const issuerCardStatus = first ? findStep(cardTransitions, "activate").to : card.issuerCardStatus;
  const update = cards
    .at(programId, cardId)
    .update(
      { set: { ...set, issuerCardStatus }, remove: [...remove, "pendingPlasticId", "awaitsPlastic"] },
      isAsRead(card),
    );
  const audited = { before: { plasticId: shownPlasticId(card) }, after: { plasticId: pending.plasticId } };
  const outcome = await transact([
    { ...update, alongside: listedPlasticChange(programId, card, { ...set, issuerCardStatus }) },
    ...(first ? [cardStatusEvent(programId, cardId, { cardStatus: card.cardStatus, issuerCardStatus })] : []),
    ...plasticWrites(programId, card, all, changed),
    // A new number was told as it was made.
    ...(isLoss(pending.reason) ? [] : untoldWrites(programId, pending, { ...pending, state: "active" }, at)),
    auditProgram(actor, activation, "activate", audited, cardId),
  ]);
  if (!outcome.committed) throw toConflictError(outcome.failedConditions.get("card"));
  const removed = Object.fromEntries(remove.map((name) => [name, undefined]));
  const shown = { ...card, ...removed, ...set, issuerCardStatus };
  return { ...shown, pendingPlasticId: undefined, awaitsPlastic: undefined };
}

function toConflictError(stored: StoredItem): ApiError {
  const found = cards.parse(stored);
  return found ? toCardStatusError(found) : new ApiError("ILLEGAL_TRANSITION");
}
