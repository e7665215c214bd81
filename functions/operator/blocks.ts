import { getCardholder, reviewFields } from "../../shared/cardholders/cardholder.ts";
import {
  commitCardholderStatus,
  toCardholderStatusError,
} from "../../shared/cardholders/cardholder-status.ts";
import { cards } from "../../shared/cards/card.ts";
import {
  applyCardholderBlock,
  cardholderBlockDeadline,
  cardholderBlockWrites,
} from "../../shared/cards/cardholder-block.ts";
import { isBlocked } from "../../shared/cards/usable.ts";
import { CardholderStatus } from "../../shared/contract/enums.ts";
import { deadlineDelete, deadlinePut } from "../../shared/platform/deadlines.ts";
import { outboxPut } from "../../shared/platform/outbox/outbox-put.ts";
import { absent, all, exists, present } from "../../shared/platform/table/condition.ts";
import { transact, type WriteAction } from "../../shared/platform/table/transact.ts";
import { type Actor, type AuditedAction, auditPut } from "../../shared/tenancy/audit-log.ts";
import { type Command, requireProgram } from "./command.ts";

/**
 * Applies in any status, from the next authorization on. The Program can then neither change the
 * Card's status nor take its money.
 * @throws CommandRejected if the Card does not exist
 */
export const blockCard: Command<"block-card"> = (input, actor) => setCardBlock(input, true, actor);

/** `blocked` in the answer: whether the Card is still blocked through its Cardholder. */
export const unblockCard: Command<"unblock-card"> = (input, actor) => setCardBlock(input, false, actor);

/** Repeating the command gives the same answer and writes no second event or audit entry. */
async function setCardBlock(
  { programId, cardId, reason }: Parameters<typeof blockCard>[0],
  blocked: boolean,
  actor: Actor,
) {
  const { tenantId } = await requireProgram(programId);
  const card = cards.at(programId, cardId);
  const action = blocked ? "card.block" : "card.unblock";
  await transact([
    blocked
      ? card.update({ set: { blockedAt: actor.at } }, all(exists, { blockedAt: absent }))
      : card.update({ remove: ["blockedAt"] }, { blockedAt: present }),
    outboxPut(programId, `${action}ed`, { cardId }, new Date(actor.at)),
    blockAudit({ tenantId, programId, action, subjectId: cardId }, blocked, reason, actor),
  ]);
  return { cardId, blocked: isBlocked(await card.require()) };
}

/**
 * It blocks Cards issued later too. A repetition, or a deadline within two minutes, finishes an
 * interrupted command.
 * @throws CommandRejected if the Cardholder does not exist
 */
export const blockCardholder: Command<"block-cardholder"> = (input, actor) =>
  setCardholderBlock(input, true, actor);

/** A Card that is blocked itself stays blocked. */
export const unblockCardholder: Command<"unblock-cardholder"> = (input, actor) =>
  setCardholderBlock(input, false, actor);

async function setCardholderBlock(
  { programId, cardholderId, reason }: Parameters<typeof blockCardholder>[0],
  blocked: boolean,
  actor: Actor,
) {
  const { tenantId } = await requireProgram(programId);
  const at = new Date(actor.at);
  const deadline = cardholderBlockDeadline(programId, cardholderId, at);
  const action = blocked ? "cardholder.block" : "cardholder.unblock";
  const { committed } = await transact([
    ...cardholderBlockWrites(programId, cardholderId, blocked, deadline, at),
    blockAudit({ tenantId, programId, action, subjectId: cardholderId }, blocked, reason, actor),
  ]);
  // An unchanged block may not have reached all Cards yet.
  const cards = await applyCardholderBlock(programId, cardholderId);
  if (committed) await transact([deadlineDelete(programId, deadline.deadlineId)]);
  return { cardholderId, blocked, cards };
}

function blockAudit(
  subject: Omit<AuditedAction, "before" | "after">,
  blocked: boolean,
  reason: string | undefined,
  actor: Actor,
): WriteAction {
  return auditPut(actor, { ...subject, before: { blocked: !blocked }, after: { blocked, reason } });
}

/**
 * Sets 7 Admin Decline from Under Review or Approved. Ends a review under way and blocks all Cards.
 * @throws CommandRejected if the Cardholder does not exist or its status does not permit this
 */
export const refuseCardholder: Command<"refuse-cardholder"> = async ({ programId, cardholderId }, actor) => {
  const { tenantId } = await requireProgram(programId);
  const seen = await getCardholder(programId, cardholderId);
  const at = new Date(actor.at);
  const deadline = cardholderBlockDeadline(programId, cardholderId, at);
  const rejected = await commitCardholderStatus(programId, seen, "refuse", ({ status, blockedAt }) => {
    const isNew = blockedAt === undefined;
    const subject = { tenantId, programId, action: "cardholder.refuse", subjectId: cardholderId } as const;
    const after = { status: CardholderStatus.adminDecline };
    return {
      condition: { blockedAt },
      ...(isNew && { set: { blockedAt: actor.at } }),
      remove: reviewFields,
      writes: [
        deadlinePut(deadline),
        ...(isNew ? [outboxPut(programId, "cardholder.blocked", { cardholderId }, at)] : []),
        auditPut(actor, { ...subject, before: { status }, after }),
      ],
    };
  });
  if (rejected) throw toCardholderStatusError(rejected.stored, "refuse");
  await applyCardholderBlock(programId, cardholderId);
  await transact([deadlineDelete(programId, deadline.deadlineId)]);
  return { cardholderId, status: CardholderStatus.adminDecline };
};
