import { CardApprovalStatus, CardStatus, IssuanceDecision } from "../../shared/contract/enums.ts";
import { cardList, cards } from "../../shared/domain/cards/card.ts";
import { issuanceDecisionWrites, toIssuanceError } from "../../shared/domain/cards/issuance.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { auditPut } from "../../shared/tenancy/audit-log.ts";
import { type Command, programOf } from "./command.ts";

/** Pending issuances, the oldest first. */
export const listIssuances: Command<"list-issuances"> = async ({ programId, limit }) => {
  const { items } = await listPage(
    {
      records: { list: { programId, kind: cardList } },
      orders: { dateCreated: "createdAt" },
      filters: { issuerCardStatus: CardStatus.pending },
      view: (item) => cards.parse(item),
    },
    { orderBy: "dateCreated", sort: "asc", limit: Number.POSITIVE_INFINITY, offset: 0 },
  );
  const waiting = items.filter(({ cardStatus }) => cardStatus === CardApprovalStatus.pending);
  return {
    cards: waiting.slice(0, limit).map(({ entityId: cardId, cardholderId, createdAt: dateCreated }) => ({
      cardId,
      cardholderId,
      dateCreated,
    })),
  };
};

/**
 * @throws CommandRefused if the Card does not exist or is decided, or its Cardholder is not
 * Approved any more
 */
export const decideIssuance: Command<"decide-issuance"> = async (
  { programId, cardId, cardStatus },
  actor,
) => {
  const { tenantId } = await programOf(programId);
  const audit = auditPut(
    {
      tenantId,
      programId,
      action: cardStatus === IssuanceDecision.approved ? "card.approve" : "card.decline",
      subjectId: cardId,
      before: { cardStatus: CardApprovalStatus.pending },
      after: { cardStatus },
    },
    actor,
  );
  const outcome = await transact([...(await issuanceDecisionWrites(programId, cardId, cardStatus)), audit]);
  if (!outcome.committed) throw toIssuanceError(outcome.failedConditions);
  return { cardId, cardStatus };
};
