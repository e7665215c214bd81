import { getCardholder, toCardholderView } from "../../shared/cardholders/cardholder.ts";
import {
  commitCardholderStatus,
  toCardholderStatusError,
} from "../../shared/cardholders/cardholder-status.ts";
import { kycEvents } from "../../shared/cardholders/kyc-events.ts";
import { getCard } from "../../shared/cards/card.ts";
import { cardEvents } from "../../shared/cards/card-events.ts";
import { toCardView } from "../../shared/cards/card-view.ts";
import { CardApprovalStatus, SandboxKycStatus } from "../../shared/contract/enums.ts";
import { plasticEvents } from "../../shared/plastics/plastic-events.ts";
import { timestamp } from "../../shared/platform/clock.ts";
import { statusError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { newId } from "../../shared/platform/id.ts";
import { withMetadata } from "../../shared/platform/labels.ts";
import { apply } from "./execute-event.ts";

/** ILLEGAL_TRANSITION unless Under Review. With 0, Pending until the outcome. */
export const decideKyc: Operations["POST /cardholders/{cardholderId}/kyc-outcome"] = async ({
  scope: { programId },
  path: { cardholderId },
  body: { status },
}) => {
  if (status === SandboxKycStatus.pending) {
    const cardholder = await getCardholder(programId, cardholderId);
    const rejected = await commitCardholderStatus(programId, cardholder, "conclude", () => ({}));
    if (rejected) throw toCardholderStatusError(rejected.stored, "conclude");
  } else {
    const event = { kind: "kyc_outcome", eventId: newId("event"), programId, cardholderId, status } as const;
    await apply(kycEvents.kyc_outcome, event);
  }
  return withMetadata(
    programId,
    cardholderId,
    toCardholderView(await getCardholder(programId, cardholderId)),
  );
};

/** ILLEGAL_TRANSITION if already decided. */
export const decideIssuance: Operations["POST /cards/{cardId}/approval"] = async ({
  scope: { programId },
  path: { cardId },
  body: { cardStatus },
}) => {
  const event = { kind: "card_approval", eventId: newId("event"), programId, cardId, cardStatus } as const;
  await apply(cardEvents.card_approval, event);
  return withMetadata(programId, cardId, toCardView(await getCard(programId, cardId)));
};

/** ILLEGAL_TRANSITION for a virtual card, and unless the issuance is approved. */
export const reportShipping: Operations["POST /cards/{cardId}/shipping"] = async ({ scope, path, body }) => {
  const { programId } = scope;
  const { cardId } = path;
  const { cardStatus } = await getCard(programId, cardId);
  if (cardStatus === CardApprovalStatus.pending)
    throw statusError(cardStatus, [CardApprovalStatus.approved], CardApprovalStatus);
  const ids = { eventId: newId("event"), programId, cardId };
  await apply(plasticEvents.card_shipping, {
    kind: "card_shipping",
    ...ids,
    occurredAt: timestamp(),
    ...body,
  });
  return withMetadata(programId, cardId, toCardView(await getCard(programId, cardId)));
};
