import type { ProgramSettings } from "../../contract/account-programs.ts";
import {
  CardApprovalStatus,
  CardForm,
  CardholderStatus,
  CardStatus,
  type IssuanceDecision,
} from "../../contract/enums.ts";
import { now } from "../../platform/clock.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { oneOf } from "../../platform/table/condition.ts";
import type { StoredItem, WriteAction } from "../../platform/table/transact.ts";
import { stepOf } from "../../platform/table/transition.ts";
import { getProgram } from "../../tenancy/programs/program.ts";
import { cardholders } from "../cardholders/cardholder.ts";
import { type Card, cards, getCard } from "./card.ts";
import { cardStatusEvent, countClosedCard, listedStatusChange } from "./card-status.ts";
import { cardApprovalTransitions, cardTransitions } from "./card-transitions.ts";
import { issuanceCharges } from "./issuance-charges.ts";
import { type IssuedAddresses, issueAddresses } from "./issue-addresses.ts";

/**
 * Legal once, while `cardStatus` is 0. Approval makes the Card usable (0→1 virtual, 0→4 physical), assigns
 * deposit addresses, charges the issuance fee and requires an Approved Cardholder. A decline closes the Card
 * (0→3) and counts one open card less. Failed conditions: `card` and `cardholder`.
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
  const approved = stepOf(cardApprovalTransitions, "approve");
  const usable = stepOf(
    cardTransitions,
    cardForm === CardForm.virtual ? "approveVirtual" : "approvePhysical",
  );
  return {
    statuses: { cardStatus: approved.to, issuerCardStatus: usable.to },
    condition: { cardStatus: oneOf(approved.from), issuerCardStatus: oneOf(usable.from) },
  };
}

/** Already decided, or the Cardholder is no longer Approved. */
export function approvalRefusal(failedConditions: ReadonlyMap<string, StoredItem>): ApiError {
  const cardIsMissing = failedConditions.has("card") && failedConditions.get("card") === undefined;
  return new ApiError(cardIsMissing ? "NOT_FOUND" : "ILLEGAL_TRANSITION");
}

async function approval(programId: string, card: Card): Promise<WriteAction[]> {
  const { statuses, condition } = approvedStatuses(card.cardForm);
  const { settings } = await getProgram(programId);
  const addresses = await addressesFor(programId, card, settings);
  const charged = issuanceCharges(programId, card, settings, now());
  const { availableMinor, ledgerMinor } = charged.balances;
  return [
    {
      ...cards
        .at(programId, card.entityId)
        .update({ set: { ...statuses, ...addresses }, add: { availableMinor, ledgerMinor } }, condition),
      // An issuance that awaits its decision is 0 Pending: the condition requires it.
      alongside: [
        listedStatusChange(
          programId,
          { ...card, issuerCardStatus: CardStatus.pending },
          statuses.issuerCardStatus,
        ),
      ],
    },
    cardholders.at(programId, card.cardholderId).check({ status: CardholderStatus.approved }),
    cardStatusEvent(programId, card.entityId, statuses),
    ...charged.writes,
  ];
}

/** Takes no index for a Card that was already decided: its condition will fail. */
async function addressesFor(
  programId: string,
  card: Card,
  settings: ProgramSettings,
): Promise<IssuedAddresses> {
  if (card.cardStatus !== CardApprovalStatus.pending)
    return { cryptoAddresses: card.cryptoAddresses, addressIndex: 0 };
  return issueAddresses(programId, settings.extendedPublicKeys);
}

function decline(programId: string, card: Card): WriteAction[] {
  const declined = stepOf(cardApprovalTransitions, "decline");
  const closed = stepOf(cardTransitions, "decline");
  const statuses = { cardStatus: declined.to, issuerCardStatus: closed.to };
  const condition = { cardStatus: oneOf(declined.from), issuerCardStatus: oneOf(closed.from) };
  return [
    {
      ...cards.at(programId, card.entityId).update({ set: statuses }, condition),
      alongside: [
        listedStatusChange(programId, { ...card, issuerCardStatus: CardStatus.pending }, closed.to),
      ],
    },
    countClosedCard(programId, card.cardholderId),
    cardStatusEvent(programId, card.entityId, statuses),
  ];
}
