import { chooseCardIds } from "../../shared/cards/cards-of-cardholder.ts";
import type { DisputeEventView } from "../../shared/contract/disputes.ts";
import {
  type DisputeEvent,
  disputeEvents,
  disputeList,
  disputes,
  readDisputeKeys,
  toDisputeView,
} from "../../shared/disputes/dispute.ts";
import type { StoredRecord } from "../../shared/lists/kind.ts";
import { listHistory, listPage, type Records } from "../../shared/lists/list-page.ts";
import { soughtAmount } from "../../shared/lists/sought.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { findNamed, withMetadata } from "../../shared/platform/labels.ts";

/** Disputes of a Card or of a Cardholder's Cards are few: they are all read. */
export const listDisputes: Operations["GET /disputes"] = async ({ scope: { programId }, query }) => {
  const { cardId, cardholderId, status, externalId, referenceCode } = query;
  const cardIds = await chooseCardIds({ programId, cardId, cardholderId });
  return listPage(
    {
      records: await findDisputes(programId, cardIds, externalId),
      orders: { disputeId: "entityId", amount: "amountMinor" },
      // A list's own filter is the status; the others have chosen few records.
      filters: { status, ...(cardIds && { cardholderId, cardId }), ...(externalId && { externalId }) },
      sought: soughtAmount(query),
      ...(referenceCode !== undefined && {
        where: (dispute: StoredRecord) => dispute.referenceCode === referenceCode,
      }),
      view: (stored) => toDisputeView(disputes.parse(stored)),
    },
    query,
  );
};

async function findDisputes(
  programId: string,
  cardIds: readonly string[] | undefined,
  externalId: string | undefined,
): Promise<Records> {
  const named = await findNamed(programId, "dispute", externalId, disputes.key);
  if (named) return named;
  if (cardIds) return { keys: await readDisputeKeys(programId, cardIds) };
  return { list: { programId, kind: disputeList } };
}

export const viewDispute: Operations["GET /disputes/{disputeId}"] = async ({ scope, path }) => {
  const dispute = await disputes.at(scope.programId, path.disputeId).require();
  return withMetadata(scope.programId, path.disputeId, toDisputeView(dispute));
};

export const listDisputeEvents: Operations["GET /disputes/{disputeId}/events"] = async (request) => {
  const { scope, path, query } = request;
  await disputes.at(scope.programId, path.disputeId).require();
  return listHistory(disputeEvents, [scope.programId, path.disputeId], toEventView, query);
};

function toEventView({ entityId, amountMinor, createdAt, ...shown }: DisputeEvent): DisputeEventView {
  return { eventId: entityId, ...shown, amount: amountMinor, dateCreated: createdAt };
}
