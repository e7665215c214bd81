import { CardholderStatus } from "../../shared/contract/enums.ts";
import { type Cardholder, getCardholder } from "../../shared/domain/cardholders/cardholder.ts";
import {
  type CardholderChange,
  cardholderRefusal,
  commitCardholderStatus,
} from "../../shared/domain/cardholders/cardholder-status.ts";
import { cards } from "../../shared/domain/cards/card.ts";
import { isBlocked } from "../../shared/domain/cards/card-block.ts";
import {
  applyCardholderBlock,
  cardholderBlockDeadline,
  cardholderBlockWrites,
} from "../../shared/domain/cards/cardholder-block.ts";
import { deadlineDelete, deadlinePut } from "../../shared/platform/deadlines/deadline.ts";
import { outboxPut } from "../../shared/platform/outbox/outbox-put.ts";
import { absent, all, exists, present } from "../../shared/platform/table/condition.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { type Actor, auditPut } from "../../shared/tenancy/audit-log.ts";
import { type Command, programOf } from "./command.ts";

/**
 * Blocks a Card, in any status: it declines from the next authorization on, and its Program can neither change its status nor take its money.
 *
 * @throws CommandRefused when there is no such Card
 */
export const blockCard: Command<"block-card"> = (input, actor) => setCardBlock(input, true, actor);

/**
 * Lifts the block of a Card. The answer says whether it is still blocked, through its Cardholder.
 *
 * @throws CommandRefused when there is no such Card
 */
export const unblockCard: Command<"unblock-card"> = (input, actor) => setCardBlock(input, false, actor);

/** Repeating a command gives the same answer, and no second event or audit entry. */
async function setCardBlock(
  { programId, cardId, reason }: Parameters<typeof blockCard>[0],
  blocked: boolean,
  actor: Actor,
) {
  const { tenantId } = await programOf(programId);
  const card = cards.at(programId, cardId);
  await transact([
    blocked
      ? card.update({ set: { blockedAt: actor.at } }, all(exists, { blockedAt: absent }))
      : card.update({ remove: ["blockedAt"] }, { blockedAt: present }),
    outboxPut(programId, blocked ? "card.blocked" : "card.unblocked", { cardId }, new Date(actor.at)),
    auditPut(
      {
        tenantId,
        programId,
        action: blocked ? "card.block" : "card.unblock",
        subjectId: cardId,
        before: { blocked: !blocked },
        after: { blocked, reason },
      },
      actor,
    ),
  ]);
  return { cardId, blocked: isBlocked(await card.require()) };
}

/**
 * Blocks all Cards of a Cardholder, and those that are issued to it later. Should the command be interrupted, a deadline finishes it within two
 * minutes; so does the command itself when it is repeated.
 *
 * @throws CommandRefused when there is no such Cardholder
 */
export const blockCardholder: Command<"block-cardholder"> = (input, actor) =>
  setCardholderBlock(input, true, actor);

/**
 * Lifts the block of a Cardholder. A Card that is blocked by itself stays so.
 *
 * @throws CommandRefused when there is no such Cardholder
 */
export const unblockCardholder: Command<"unblock-cardholder"> = (input, actor) =>
  setCardholderBlock(input, false, actor);

async function setCardholderBlock(
  { programId, cardholderId, reason }: Parameters<typeof blockCardholder>[0],
  blocked: boolean,
  actor: Actor,
) {
  const { tenantId } = await programOf(programId);
  const at = new Date(actor.at);
  const deadline = cardholderBlockDeadline(programId, cardholderId, at);
  const { committed } = await transact([
    ...cardholderBlockWrites(programId, cardholderId, blocked, deadline, at),
    auditPut(
      {
        tenantId,
        programId,
        action: blocked ? "cardholder.block" : "cardholder.unblock",
        subjectId: cardholderId,
        before: { blocked: !blocked },
        after: { blocked, reason },
      },
      actor,
    ),
  ]);
  // An unchanged block may not have reached all Cards yet.
  const cards = await applyCardholderBlock(programId, cardholderId);
  if (committed) await transact([deadlineDelete(programId, deadline.deadlineId)]);
  return { cardholderId, blocked, cards };
}

/**
 * Declines a Cardholder that is Under Review or Approved: 7 Admin Decline. A review under way is over, and its Cards are blocked, as by
 * `block-cardholder`.
 *
 * @throws CommandRefused when there is no such Cardholder, or its status does not permit this
 */
export const refuseCardholder: Command<"refuse-cardholder"> = async ({ programId, cardholderId }, actor) => {
  const { tenantId } = await programOf(programId);
  const seen = await getCardholder(programId, cardholderId);
  const at = new Date(actor.at);
  const deadline = cardholderBlockDeadline(programId, cardholderId, at);
  const changeOf = (cardholder: Cardholder): CardholderChange => {
    const { status, blockedAt } = cardholder;
    const audited = { tenantId, programId, action: "cardholder.refuse", subjectId: cardholderId } as const;
    const after = { status: CardholderStatus.adminDecline };
    return {
      condition: { blockedAt },
      ...(blockedAt === undefined && { set: { blockedAt: actor.at } }),
      remove: ["kycSession", "kycToken"],
      writes: [
        deadlinePut(deadline),
        ...(blockedAt === undefined
          ? [outboxPut(programId, "cardholder.blocked", { cardholderId }, at)]
          : []),
        auditPut({ ...audited, before: { status }, after }, actor),
      ],
    };
  };
  const failed = await commitCardholderStatus(programId, seen, "refuse", changeOf);
  if (failed) throw cardholderRefusal(failed.refused);
  await applyCardholderBlock(programId, cardholderId);
  await transact([deadlineDelete(programId, deadline.deadlineId)]);
  return { cardholderId, status: CardholderStatus.adminDecline };
};
