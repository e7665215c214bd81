import { type Cardholder, cardholders, getCardholder } from "../../shared/cardholders/cardholder.ts";
import { addressPuts } from "../../shared/cards/address-owner.ts";
import { type Card, cardList, cards, toCardView } from "../../shared/cards/card.ts";
import { cardStatusEvent, countIssuedCard } from "../../shared/cards/card-status.ts";
import { cardOfPut, ofExternalId } from "../../shared/cards/cards-of-cardholder.ts";
import { approvedStatuses, chargeIssuance, issueAddresses } from "../../shared/cards/issuance.ts";
import { approvalWrites, productionWrites } from "../../shared/cards/outside-requests.ts";
import type { ProgramSettings } from "../../shared/contract/account-programs.ts";
import { CardholderStatus, DesignStatus, IssuanceApproval } from "../../shared/contract/enums.ts";
import { listInsert } from "../../shared/lists/entry.ts";
import { now } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { newId } from "../../shared/platform/id.ts";
import { transact, type WriteAction } from "../../shared/platform/table/transact.ts";
import { readCardDesign } from "../../shared/tenancy/programs/card-design.ts";
import { getProgram } from "../../shared/tenancy/programs/program.ts";
import { newCard } from "./new-card.ts";
import type { CardOperations } from "./operations.ts";

/**
 * Approved at once, unless the Program has manual approval. The transaction requires the
 * Cardholder's status and counts the card, so that none is issued for one just deleted or declined.
 * @throws ApiError NOT_FOUND for an unknown Cardholder; COMPLIANCE_STATE if it is not Approved;
 * DESIGN_NOT_APPROVED; VALIDATION_FAILED if `nameOnCard` is missing and the Cardholder's name
 * cannot be printed
 */
export const issueCard: CardOperations["POST /cards"] = async ({ scope, body }) => {
  const { programId } = scope;
  const [cardholder, program, design] = await Promise.all([
    getCardholder(programId, body.cardholderId),
    getProgram(programId),
    readCardDesign(programId, body.cardType),
  ]);
  if (cardholder.status !== CardholderStatus.approved) throw new ApiError("COMPLIANCE_STATE");
  if (design?.status !== DesignStatus.approved) throw new ApiError("DESIGN_NOT_APPROVED");
  const requested = newCard({
    scope,
    cardId: newId("card"),
    request: body,
    cardholder,
    bin: program.settings.cardBin,
    at: now(),
  });
  const { card, writes } = await decided(programId, requested, program.settings);
  return toCardView(await commitCard(programId, card, cardholder, writes));
};

/** Copies the Cardholder's block to the Card; tries again if the block changed meanwhile. */
async function commitCard(
  programId: string,
  card: Card,
  cardholder: Cardholder,
  writes: readonly WriteAction[],
): Promise<Card> {
  const { blockedAt } = cardholder;
  const issued = { ...card, ...(blockedAt !== undefined && { cardholderBlockedAt: blockedAt }) };
  const outcome = await transact([
    {
      ...cards.at(programId, card.entityId).create(issued),
      alongside: [listInsert(cardList, programId, card.entityId, issued)],
    },
    countIssuedCard(programId, cardholder),
    cardOfPut(programId, card.cardholderId, card.entityId),
    ...(card.externalId === undefined
      ? []
      : [cardOfPut(programId, ofExternalId(card.externalId), card.entityId)]),
    ...writes,
  ]);
  if (outcome.committed) return issued;
  const stored = cardholders.parse(outcome.failedConditions.get("cardholder"));
  const isBlockChanged = stored?.status === CardholderStatus.approved && stored.blockedAt !== blockedAt;
  if (!isBlockChanged) throw new ApiError("COMPLIANCE_STATE");
  return commitCard(programId, card, stored, writes);
}

/** Approved at once, with its fee and events, or waiting for a decision. */
async function decided(
  programId: string,
  card: Card,
  settings: ProgramSettings,
): Promise<{ card: Card; writes: readonly WriteAction[] }> {
  if (settings.issuanceApproval === IssuanceApproval.manual)
    return { card, writes: approvalWrites(programId, card) };
  const addresses = await issueAddresses(programId, settings.extendedPublicKeys);
  const charged = chargeIssuance(programId, card, settings, now());
  const approved = {
    ...card,
    ...approvedStatuses(card.cardForm),
    ...addresses,
    ...charged.account,
  };
  const statusEvent = cardStatusEvent(programId, card.entityId, approved);
  const writes = [
    statusEvent,
    ...charged.writes,
    ...addressPuts(programId, card.entityId, approved.cryptoAddresses),
    ...productionWrites(programId, card),
  ];
  return { card: approved, writes };
}
