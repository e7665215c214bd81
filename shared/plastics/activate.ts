import { type Card, cards } from "../cards/card.ts";
import { firstPlasticId, shownPlasticId } from "../cards/card-plastic.ts";
import {
  cardStatusEvent,
  cardTransitions,
  listedPlasticChange,
  toCardStatusError,
} from "../cards/card-status.ts";
import { isBlocked, isExpired, isNotBlocked } from "../cards/usable.ts";
import { CardStatus, inUse } from "../contract/enums.ts";
import { now, timestamp } from "../platform/clock.ts";
import { ApiError, statusError } from "../platform/http/api-error.ts";
import { defined, pick } from "../platform/pick.ts";
import { all } from "../platform/table/condition.ts";
import { type StoredItem, transact, type WriteAction } from "../platform/table/transact.ts";
import { findStep } from "../platform/table/transition.ts";
import { type Actor, auditProgram } from "../tenancy/audit-log.ts";
import { isLive, isLoss, type Plastic, plastics, replaced, toFirstPlastic, untoldWrites } from "./plastic.ts";

interface Activation {
  readonly tenantId: string;
  readonly programId: string;
  readonly actor: Actor;
  /** Whether what is printed is known. @throws ApiError VALIDATION_FAILED */
  readonly requireMatch: (plastic: Plastic) => void;
}

/**
 * Activates the replacement that a Card awaits; the older ones end in the same commit. A Card on
 * hold stays so.
 * @throws ApiError ILLEGAL_TRANSITION for one that has expired, and if it was changed meanwhile
 */
export async function activatePlastic(card: Card, activation: Activation): Promise<Card> {
  const { programId, actor, requireMatch } = activation;
  const { entityId: cardId, pendingPlasticId = "" } = card;
  if (isBlocked(card) || !inUse.includes(card.issuerCardStatus)) throw toCardStatusError(card, inUse);
  const all = await plastics.list(programId, cardId);
  const pending = all.find(({ plasticId, state }) => plasticId === pendingPlasticId && state === "pending");
  const at = now();
  if (!pending || isExpired(pending, at)) throw statusError(pending ? "expired" : "replaced", ["pending"]);
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
  return found ? toCardStatusError(found, inUse) : new ApiError("ILLEGAL_TRANSITION");
}

/** What is not stored yet is the first one, which was its Card. */
export function plasticWrites(
  programId: string,
  card: Card,
  all: readonly Plastic[],
  changed: readonly Plastic[],
): WriteAction[] {
  const isFirst = card.plasticCount === undefined;
  const first = firstPlasticId(card.entityId);
  const written = new Map(changed.map((one) => [one.plasticId, one]));
  if (isFirst && !written.has(first)) written.set(first, toFirstPlastic(card));
  return [...written.values()].map((one) => {
    const at = plastics.at(programId, one.cardId, one.plasticId);
    const before = isFirst ? undefined : all.find(({ plasticId }) => plasticId === one.plasticId);
    if (!before) return at.create(one);
    const set = defined(pick(one, "state", "activatedAt", "endedAt", "stoppedFor"));
    return at.update({ set }, { state: before.state });
  });
}

/** The Card as the change has read it. */
export function isAsRead(card: Card, { mayBeBlocked = false } = {}) {
  const { issuerCardStatus, plasticId, pendingPlasticId, awaitsPlastic, plasticCount } = card;
  const shownAndPending = { plasticId, pendingPlasticId, awaitsPlastic, plasticCount };
  // The first plastic's item takes the shipping from it.
  const first = plasticCount === undefined ? { shipping: card.shipping } : {};
  return all<Card>(
    { issuerCardStatus, ...shownAndPending, ...first },
    ...(mayBeBlocked ? [] : [isNotBlocked]),
  );
}

/** What the Card has of the plastic that it shows. */
export function showing(plastic: Plastic) {
  const { plasticId, bin, lastFour, numberId, expiryMonth, expiryYear, shipping, shippingAddress } = plastic;
  const kept = defined({ numberId, shipping, shippingAddress });
  const remove: (keyof Card)[] = [
    ...(numberId === undefined ? (["numberId"] as const) : []),
    ...(shipping ? [] : (["shipping"] as const)),
  ];
  return { set: { plasticId, bin, lastFour, expiryMonth, expiryYear, ...kept }, remove };
}
