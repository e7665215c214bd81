import { type Cardholder, cardholders } from "../cardholders/cardholder.ts";
import { CardApprovalStatus, CardholderStatus, CardStatus } from "../contract/enums.ts";
import { listUpdate } from "../lists/entry.ts";
import { now } from "../platform/clock.ts";
import { ApiError, statusError } from "../platform/http/api-error.ts";
import { outboxPut } from "../platform/outbox/outbox-put.ts";
import { above, all, oneOf } from "../platform/table/condition.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { findStep, fromEach, type TransitionTable } from "../platform/table/transition.ts";
import { type Card, cards } from "./card.ts";
import { cardList } from "./card-view.ts";
import { isBlocked, isNotBlocked } from "./usable.ts";

export type CardApprovalTrigger = "approve" | "decline";

/** Every legal change of `cardStatus`, the approval of an issuance. */
export const cardApprovalTransitions = [
  { from: CardApprovalStatus.pending, trigger: "approve", to: CardApprovalStatus.approved },
  { from: CardApprovalStatus.pending, trigger: "decline", to: CardApprovalStatus.declined },
] as const satisfies TransitionTable<CardApprovalStatus, CardApprovalTrigger>;

/**
 * - approveVirtual, approvePhysical: the issuance is approved; a physical card must reach its
 *   Cardholder first
 * - activate: POST /cards/{cardId}/activate
 * - hold, release: PUT /cards/{cardId}/status with 2 and 1
 * - close: POST /cards/{cardId}/close
 * - decline: the issuance is declined; 0 is transitional: the card becomes Closed
 */
export type CardTrigger =
  | "approveVirtual"
  | "approvePhysical"
  | "activate"
  | "hold"
  | "release"
  | "close"
  | "decline";

/** Every legal change of `issuerCardStatus`, the operational status. */
export const cardTransitions = [
  { from: CardStatus.pending, trigger: "approveVirtual", to: CardStatus.active },
  { from: CardStatus.pending, trigger: "approvePhysical", to: CardStatus.notActivated },
  { from: CardStatus.pending, trigger: "decline", to: CardStatus.closed },
  { from: CardStatus.notActivated, trigger: "activate", to: CardStatus.active },
  { from: CardStatus.active, trigger: "hold", to: CardStatus.onHold },
  { from: CardStatus.onHold, trigger: "release", to: CardStatus.active },
  ...fromEach([CardStatus.active, CardStatus.onHold, CardStatus.notActivated], "close", CardStatus.closed),
] as const satisfies TransitionTable<CardStatus, CardTrigger>;

/** The status and its event. Requires the one legal status and no block (condition `card`). */
export function changeCardStatus(
  programId: string,
  card: Card,
  trigger: "activate" | "hold" | "release",
): WriteAction[] {
  const cardId = card.entityId;
  const { from, to } = findStep(cardTransitions, trigger);
  const [issuerCardStatus = card.issuerCardStatus] = from;
  // What was activated is the first plastic, not one that replaces it meanwhile.
  const pending = trigger === "activate" ? { plasticId: undefined, pendingPlasticId: undefined } : {};
  const isLegal = all<Card>(
    { issuerCardStatus: oneOf(from), plasticId: card.plasticId, ...pending },
    isNotBlocked,
  );
  return [
    {
      ...cards.at(programId, cardId).update({ set: { issuerCardStatus: to } }, isLegal),
      alongside: [listedStatusChange(programId, { ...card, issuerCardStatus }, to)],
    },
    cardStatusEvent(programId, cardId, { cardStatus: CardApprovalStatus.approved, issuerCardStatus: to }),
  ];
}

/** The transaction must require the status as read, and the plastic, whose digits the list has. */
export function listedStatusChange(programId: string, card: Card, issuerCardStatus: CardStatus): WriteAction {
  return listUpdate(cardList, programId, card.entityId, card, { ...card, issuerCardStatus });
}

/** Where a Card shows another plastic. The transaction must require the Card as read. */
export function listedPlasticChange(
  programId: string,
  card: Card,
  shows: Partial<Pick<Card, "issuerCardStatus" | "lastFour">>,
): WriteAction[] {
  const shown = { ...card, ...shows };
  const isListedAlike = shown.issuerCardStatus === card.issuerCardStatus && shown.lastFour === card.lastFour;
  return isListedAlike ? [] : [listUpdate(cardList, programId, card.entityId, card, shown)];
}

export function cardStatusEvent(
  programId: string,
  cardId: string,
  { cardStatus, issuerCardStatus }: { cardStatus: CardApprovalStatus; issuerCardStatus: CardStatus },
): WriteAction {
  return outboxPut(programId, "card.status_changed", { cardId, cardStatus, issuerCardStatus }, now());
}

/** Requires an Approved Cardholder whose block is as read. */
export function countIssuedCard(programId: string, { entityId, blockedAt }: Cardholder): WriteAction {
  const condition = { status: CardholderStatus.approved, blockedAt };
  return cardholders.at(programId, entityId).update({ add: { openCards: 1 } }, condition);
}

/** Counts a Card that is closed or declined. */
export function countClosedCard(programId: string, cardholderId: string): WriteAction {
  return cardholders.at(programId, cardholderId).update({ add: { openCards: -1 } }, { openCards: above(0) });
}

/** Why the status was not changed, from the item that failed the condition. */
export function toCardStatusError(stored: Card | undefined, permitted: readonly CardStatus[]): ApiError {
  if (stored === undefined) return new ApiError("NOT_FOUND");
  if (isBlocked(stored)) return new ApiError("CARD_BLOCKED");
  return statusError(stored.issuerCardStatus, permitted, CardStatus);
}
