import { CardApprovalStatus, CardholderStatus, type CardStatus } from "../../contract/enums.ts";
import { listUpdate } from "../../lists/change.ts";
import { now } from "../../platform/clock.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { outboxPut } from "../../platform/outbox/outbox-put.ts";
import { above, all, oneOf } from "../../platform/table/condition.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { stepOf } from "../../platform/table/transition.ts";
import { type Cardholder, cardholders } from "../cardholders/cardholder.ts";
import { type Card, cardList, cards } from "./card.ts";
import { type CardBlocks, isBlocked, isNotBlocked } from "./card-block.ts";
import { cardTransitions } from "./card-transitions.ts";

/**
 * Writes the status and its event, in one transaction. Requires the one legal status and no block (condition
 * `card`).
 */
export function changeCardStatus(
  programId: string,
  card: Card,
  trigger: "activate" | "hold" | "release",
): WriteAction[] {
  const cardId = card.entityId;
  const { from, to } = stepOf(cardTransitions, trigger);
  const [issuerCardStatus = card.issuerCardStatus] = from;
  return [
    {
      ...cards
        .at(programId, cardId)
        .update({ set: { issuerCardStatus: to } }, all({ issuerCardStatus: oneOf(from) }, isNotBlocked)),
      alongside: [listedStatusChange(programId, { ...card, issuerCardStatus }, to)],
    },
    cardStatusEvent(programId, cardId, { cardStatus: CardApprovalStatus.approved, issuerCardStatus: to }),
  ];
}

/** The transaction must require the status that was read. */
export function listedStatusChange(programId: string, card: Card, issuerCardStatus: CardStatus): WriteAction {
  return listUpdate(cardList, programId, card.entityId, card, { ...card, issuerCardStatus });
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
export function cardRefusal(stored: CardBlocks | undefined): ApiError {
  if (stored === undefined) return new ApiError("NOT_FOUND");
  return new ApiError(isBlocked(stored) ? "CARD_BLOCKED" : "ILLEGAL_TRANSITION");
}
