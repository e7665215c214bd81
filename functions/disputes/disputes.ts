import { listCardIds } from "../../shared/cards/cards-of-cardholder.ts";
import type { DisputeEventView } from "../../shared/contract/disputes.ts";
import {
  type DisputeEvent,
  disputeEvents,
  disputeList,
  disputes,
  readDisputeKeys,
  toDisputeView,
} from "../../shared/disputes/dispute.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { withMetadata } from "../../shared/platform/labels.ts";

/** Disputes of a Card or of a Cardholder's Cards are few: they are all read. */
export const listDisputes: Operations["GET /disputes"] = async ({ scope: { programId }, query }) => {
  const { cardId, cardholderId, status } = query;
  const cardIds =
    cardId !== undefined ? [cardId] : cardholderId && (await listCardIds(programId, cardholderId));
  return listPage(
    {
      records: cardIds
        ? { keys: await readDisputeKeys(programId, cardIds) }
        : { list: { programId, kind: disputeList } },
      orders: { dateCreated: "createdAt", disputeId: "entityId", amount: "amountMinor" },
      // A list's own filter is the status; the others have chosen few records.
      filters: { status, ...(cardIds && { cardholderId }) },
      view: (stored) => toDisputeView(disputes.parse(stored)),
    },
    query,
  );
};

export const viewDispute: Operations["GET /disputes/{disputeId}"] = async ({ scope, path }) => {
  const dispute = await disputes.at(scope.programId, path.disputeId).require();
  return withMetadata(scope.programId, path.disputeId, toDisputeView(dispute));
};

export const listDisputeEvents: Operations["GET /disputes/{disputeId}/events"] = async ({
  scope,
  path,
  query,
}) => {
  await disputes.at(scope.programId, path.disputeId).require();
  return listPage(
    {
      records: disputeEvents.records(scope.programId, path.disputeId),
      orders: { dateCreated: "createdAt" },
      view: (stored) => toEventView(disputeEvents.parse(stored)),
    },
    query,
  );
};

function toEventView({ entityId, amountMinor, createdAt, ...shown }: DisputeEvent): DisputeEventView {
  return { eventId: entityId, ...shown, amount: amountMinor, dateCreated: createdAt };
}
