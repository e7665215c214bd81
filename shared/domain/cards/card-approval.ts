import type { CryptoAddress } from "../../contract/cards.ts";
import {
  CardApprovalStatus,
  CardForm,
  CardholderStatus,
  CardStatus,
  type IssuanceDecision,
} from "../../contract/enums.ts";
import type { ProgramSettings } from "../../contract/program-settings.ts";
import { now } from "../../platform/clock.ts";
import { environment } from "../../platform/environment.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { StoredItem, WriteAction } from "../../platform/table/transact.ts";
import { compileTransition } from "../../platform/table/transition.ts";
import { getProgram } from "../../tenancy/programs/program.ts";
import { type Card, getCard } from "./card.ts";
import { cardStatusEvent, countClosedCard, listedStatusChange } from "./card-status.ts";
import { cardApprovalTransitions, cardTransitions } from "./card-transitions.ts";
import { issuanceCharges } from "./issuance-charges.ts";
import { type IssuedAddresses, issueAddresses } from "./issue-addresses.ts";

/**
 * The writes of the decision on an issuance: legal once, while `cardStatus` is 0. Approval makes the Card usable (0→1 virtual, 0→4
 * physical), gives it its deposit addresses, charges the Program's fee for it, and requires that its Cardholder is Approved still; a decline closes it
 * (0→3) and counts it as open no longer. Failed conditions are named `card` and `cardholder`, explained by `approvalRefusal`.
 *
 * @throws ApiError NOT_FOUND
 */
export async function cardApproval(
  programId: string,
  cardId: string,
  decision: IssuanceDecision,
): Promise<WriteAction[]> {
  const card = await getCard(programId, cardId);
  return decision === CardApprovalStatus.approved ? approval(programId, card) : decline(programId, card);
}

/** Both statuses of a Card whose issuance is approved. */
export function approvedStatuses(cardForm: CardForm) {
  const approved = compileTransition(cardApprovalTransitions, "approve", "cardStatus");
  const trigger = cardForm === CardForm.virtual ? "approveVirtual" : "approvePhysical";
  const usable = compileTransition(cardTransitions, trigger, "issuerCardStatus");
  return {
    statuses: { cardStatus: approved.to, issuerCardStatus: usable.to },
    condition: `${approved.condition} AND ${usable.condition}`,
    names: { ...approved.names, ...usable.names },
    values: { ...approved.values, ...usable.values },
  };
}

/** Why the decision was refused, from its transaction's failed conditions: a second decision, or a Cardholder that is not Approved any more. */
export function approvalRefusal(failedConditions: ReadonlyMap<string, StoredItem>): ApiError {
  const cardIsMissing = failedConditions.has("card") && failedConditions.get("card") === undefined;
  return new ApiError(cardIsMissing ? "NOT_FOUND" : "ILLEGAL_TRANSITION");
}

async function approval(programId: string, card: Card): Promise<WriteAction[]> {
  const { statuses, condition, names, values } = approvedStatuses(card.cardForm);
  const { settings } = await getProgram(programId);
  const addresses = await addressesFor(programId, card, settings);
  const charged = issuanceCharges(programId, card, settings, now());
  return [
    {
      name: "card",
      Update: {
        TableName: environment.issuingTable,
        Key: issuingKey.card(programId, card.entityId),
        UpdateExpression:
          "SET #cardStatus = :cardStatus, #issuerCardStatus = :issuerCardStatus, " +
          "cryptoAddresses = :cryptoAddresses, addressIndex = :addressIndex, " +
          "availableMinor = availableMinor + :availableMinor, ledgerMinor = ledgerMinor + :ledgerMinor",
        ConditionExpression: condition,
        ExpressionAttributeNames: names,
        ExpressionAttributeValues: {
          ...values,
          ":cryptoAddresses": addresses.cryptoAddresses,
          ":addressIndex": addresses.addressIndex,
          ":availableMinor": charged.balances.availableMinor,
          ":ledgerMinor": charged.balances.ledgerMinor,
        },
      },
      // An issuance that awaits its decision is 0 Pending: the condition requires it.
      alongside: [
        listedStatusChange(
          programId,
          { ...card, issuerCardStatus: CardStatus.pending },
          statuses.issuerCardStatus,
        ),
      ],
    },
    {
      name: "cardholder",
      ConditionCheck: {
        TableName: environment.issuingTable,
        Key: issuingKey.cardholder(programId, card.cardholderId),
        ConditionExpression: "#status = :approved",
        ExpressionAttributeNames: { "#status": "status" },
        ExpressionAttributeValues: { ":approved": CardholderStatus.approved },
      },
    },
    cardStatusEvent(programId, card.entityId, statuses),
    ...charged.writes,
  ];
}

/** A Card that was decided on before will be refused by its condition: no index is spent on it. */
async function addressesFor(
  programId: string,
  card: Card,
  settings: ProgramSettings,
): Promise<IssuedAddresses> {
  if (card.cardStatus !== CardApprovalStatus.pending)
    return { cryptoAddresses: card.cryptoAddresses as CryptoAddress[], addressIndex: 0 };
  return issueAddresses(programId, settings.extendedPublicKeys);
}

function decline(programId: string, card: Card): WriteAction[] {
  const declined = compileTransition(cardApprovalTransitions, "decline", "cardStatus");
  const closed = compileTransition(cardTransitions, "decline", "issuerCardStatus");
  return [
    {
      name: "card",
      Update: {
        TableName: environment.issuingTable,
        Key: issuingKey.card(programId, card.entityId),
        UpdateExpression: "SET #cardStatus = :cardStatus, #issuerCardStatus = :issuerCardStatus",
        ConditionExpression: `${declined.condition} AND ${closed.condition}`,
        ExpressionAttributeNames: { ...declined.names, ...closed.names },
        ExpressionAttributeValues: { ...declined.values, ...closed.values },
      },
      alongside: [
        listedStatusChange(programId, { ...card, issuerCardStatus: CardStatus.pending }, closed.to),
      ],
    },
    countClosedCard(programId, card.cardholderId),
    cardStatusEvent(programId, card.entityId, {
      cardStatus: declined.to,
      issuerCardStatus: closed.to,
    }),
  ];
}
