import type { DisputeEventView } from "../../shared/contract/disputes.ts";
import { cards } from "../../shared/domain/cards/card.ts";
import { listCardIds } from "../../shared/domain/cards/cards-of-cardholder.ts";
import {
  type CompleteDispute,
  type Dispute,
  type DisputeEvent,
  disputeEvents,
  disputeKeysOf,
  disputeList,
  disputes,
  isComplete,
  toDisputeView,
} from "../../shared/domain/disputes/dispute.ts";
import { transactions } from "../../shared/domain/transactions/transaction.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import type { DisputeOperations } from "./operations.ts";

/** Disputes of a Card or of a Cardholder's Cards are few: they are all read. */
export const listDisputes: DisputeOperations["GET /disputes"] = async ({ scope: { programId }, query }) => {
  const { cardId, cardholderId, status } = query;
  const cardIds =
    cardId !== undefined ? [cardId] : cardholderId && (await listCardIds(programId, cardholderId));
  return listPage(
    {
      records: cardIds
        ? { keys: await disputeKeysOf(programId, cardIds) }
        : { list: { programId, kind: disputeList } },
      orders: { dateCreated: "createdAt", disputeId: "entityId", amount: "amountMinor" },
      // A list's own filter is the status; the others have chosen few records.
      filters: { status, ...(cardIds && { cardholderId }) },
      view: (stored) => toDisputeView(disputes.parse(stored) as CompleteDispute),
    },
    query,
  );
};

export const viewDispute: DisputeOperations["GET /disputes/{disputeId}"] = async ({ scope, path }) =>
  toDisputeView(await complete(await disputes.at(scope.programId, path.disputeId).require()));

/** One from before lacks what its Card and its transaction have. */
async function complete(dispute: Dispute): Promise<CompleteDispute> {
  if (isComplete(dispute)) return dispute;
  const { programId, cardId, transId } = dispute;
  const [{ cardholderId, currency }, { referenceCode }] = await Promise.all([
    cards.at(programId, cardId).require(),
    transactions.at(programId, cardId, transId).require(),
  ]);
  return { ...dispute, cardholderId, currency, referenceCode };
}

export const listDisputeEvents: DisputeOperations["GET /disputes/{disputeId}/events"] = async ({
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
