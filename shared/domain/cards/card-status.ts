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
 * The writes of a change of the operational status that is legal from one status alone: the Card (named `card`), where it has that and is not blocked, and the event that
 * speaks of it. To be committed in one transaction.
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

/** What the list of Cards becomes by a change of status, which the transaction must require to be from the one that was seen. */
export function listedStatusChange(programId: string, card: Card, issuerCardStatus: CardStatus): WriteAction {
  return listUpdate(cardList, programId, card.entityId, card, { ...card, issuerCardStatus });
}

/** The event that tells what a Card's two statuses have become. */
export function cardStatusEvent(
  programId: string,
  cardId: string,
  { cardStatus, issuerCardStatus }: { cardStatus: CardApprovalStatus; issuerCardStatus: CardStatus },
): WriteAction {
  return outboxPut(programId, "card.status_changed", { cardId, cardStatus, issuerCardStatus }, now());
}

/** Counts an issued Card. Requires an Approved Cardholder whose block has not changed since it was read. */
export function countIssuedCard(programId: string, { entityId, blockedAt }: Cardholder): WriteAction {
  const condition = { status: CardholderStatus.approved, blockedAt };
  return cardholders.at(programId, entityId).update({ add: { openCards: 1 } }, condition);
}

/** Counts a Card that is closed or declined. */
export function countClosedCard(programId: string, cardholderId: string): WriteAction {
  return cardholders.at(programId, cardholderId).update({ add: { openCards: -1 } }, { openCards: above(0) });
}

/** Why the Card's status was not changed, from the item that its condition met. */
export function cardRefusal(stored: CardBlocks | undefined): ApiError {
  if (stored === undefined) return new ApiError("NOT_FOUND");
  return new ApiError(isBlocked(stored) ? "CARD_BLOCKED" : "ILLEGAL_TRANSITION");
}
