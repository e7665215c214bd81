import { cards, getCard } from "../../shared/cards/card.ts";
import { cardList } from "../../shared/cards/card-view.ts";
import { prepareIssuanceDecision, toIssuanceError } from "../../shared/cards/issuance.ts";
import {
  CardApprovalStatus,
  CardStatus,
  DesignStatus,
  IssuanceDecision,
} from "../../shared/contract/enums.ts";
import { commit } from "../../shared/ledger/commit.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import { now } from "../../shared/platform/clock.ts";
import { auditProgram } from "../../shared/tenancy/audit-log.ts";
import {
  changeDesign,
  designReviewQueue,
  readCardDesign,
  submitDesign,
} from "../../shared/tenancy/programs/card-design.ts";
import { type Command, requireProgram } from "./command.ts";

/** Pending issuances, the oldest first. */
export const listIssuances: Command<"list-issuances"> = async ({ programId, limit }) => {
  const { items } = await listPage(
    {
      records: { list: { programId, kind: cardList } },
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
 * @throws CommandRejected if the Card does not exist or is decided, or its Cardholder is not
 * Approved any more
 */
export const decideIssuance: Command<"decide-issuance"> = async (
  { programId, cardId, cardStatus },
  actor,
) => {
  const program = await requireProgram(programId);
  const action = cardStatus === IssuanceDecision.approved ? "card.approve" : "card.decline";
  const change = { before: { cardStatus: CardApprovalStatus.pending }, after: { cardStatus } };
  const audit = auditProgram(actor, program, action, change, cardId);
  const card = await getCard(programId, cardId);
  const { writes, charge } = await prepareIssuanceDecision(programId, card, cardStatus);
  const at = now();
  const outcome = await commit({ ...charge, programId, at, writes: [...writes, audit] });
  if (outcome.outcome === "failed") throw toIssuanceError(outcome.failedConditions);
  return { cardId, cardStatus };
};

export const listDesigns: Command<"list-designs"> = async ({ limit }) => ({
  designs: await designReviewQueue.first(limit),
});

/**
 * With a `name`, puts an approved design of the platform's own into an empty slot.
 * @throws CommandRejected if the Program does not exist, nothing is to approve, or the slot is
 * taken
 */
export const approveDesign: Command<"approve-design"> = async ({ programId, cardType, name }, actor) => {
  const owner = await requireProgram(programId);
  if (name !== undefined && !(await readCardDesign(programId, cardType))) {
    await submitDesign(owner, { programId, cardType, name }, actor, DesignStatus.approved);
  } else {
    await changeDesign(owner, { programId, cardType }, "approve", { reviewedAt: actor.at }, actor);
  }
  return { cardType };
};

/** @throws CommandRejected if the Program does not exist, or nothing awaits approval */
export const rejectDesign: Command<"reject-design"> = async ({ programId, cardType, reason }, actor) => {
  const owner = await requireProgram(programId);
  const change = { reviewedAt: actor.at, rejectionReason: reason };
  await changeDesign(owner, { programId, cardType }, "reject", change, actor);
  return { cardType };
};
