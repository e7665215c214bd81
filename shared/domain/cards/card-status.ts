import { CardApprovalStatus, CardholderStatus, type CardStatus } from "../../contract/enums.ts";
import { listedChange } from "../../lists/change-row.ts";
import { now } from "../../platform/clock.ts";
import { environment } from "../../platform/environment.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { outboxPut } from "../../platform/outbox/outbox-put.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { compileTransition } from "../../platform/table/transition.ts";
import type { Cardholder } from "../cardholders/cardholder.ts";
import type { Card } from "./card.ts";
import { blockAsSeen, type CardBlocks, isBlocked, notBlockedCondition } from "./card-block.ts";
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
  const transition = compileTransition(cardTransitions, trigger, "issuerCardStatus");
  const [issuerCardStatus = card.issuerCardStatus] = transition.from;
  return [
    {
      name: "card",
      Update: {
        TableName: environment.issuingTable,
        Key: issuingKey.card(programId, cardId),
        UpdateExpression: "SET #issuerCardStatus = :issuerCardStatus",
        ConditionExpression: `${transition.condition} AND ${notBlockedCondition}`,
        ExpressionAttributeNames: transition.names,
        ExpressionAttributeValues: transition.values,
      },
      alongside: [listedStatusChange(programId, { ...card, issuerCardStatus }, transition.to)],
    },
    cardStatusEvent(programId, cardId, {
      cardStatus: CardApprovalStatus.approved,
      issuerCardStatus: transition.to,
    }),
  ];
}

/** What the list of Cards becomes by a change of status, which the transaction must require to be from the one that was seen. */
export function listedStatusChange(programId: string, card: Card, issuerCardStatus: CardStatus): WriteAction {
  return listedChange("cards", programId, card.entityId, card, { ...card, issuerCardStatus });
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
export function countIssuedCard(programId: string, cardholder: Cardholder): WriteAction {
  const { condition, values } = blockAsSeen(cardholder);
  return {
    name: "cardholder",
    Update: {
      TableName: environment.issuingTable,
      Key: issuingKey.cardholder(programId, cardholder.entityId),
      UpdateExpression: "SET openCards = openCards + :one",
      ConditionExpression: `#status = :approved AND ${condition}`,
      ExpressionAttributeNames: { "#status": "status" },
      ExpressionAttributeValues: { ...values, ":one": 1, ":approved": CardholderStatus.approved },
    },
  };
}

/** Counts a Card that is closed or declined. */
export function countClosedCard(programId: string, cardholderId: string): WriteAction {
  return {
    name: "cardholder",
    Update: {
      TableName: environment.issuingTable,
      Key: issuingKey.cardholder(programId, cardholderId),
      UpdateExpression: "SET openCards = openCards - :one",
      ConditionExpression: "openCards > :none",
      ExpressionAttributeValues: { ":one": 1, ":none": 0 },
    },
  };
}

/** Why the Card's status was not changed, from the item that its condition met. */
export function cardRefusal(stored: CardBlocks | undefined): ApiError {
  if (stored === undefined) return new ApiError("NOT_FOUND");
  return new ApiError(isBlocked(stored) ? "CARD_BLOCKED" : "ILLEGAL_TRANSITION");
}
