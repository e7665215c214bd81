import { cards } from "../../shared/domain/cards/card.ts";
import { isBlocked } from "../../shared/domain/cards/card-block.ts";
import { outboxPut } from "../../shared/platform/outbox/outbox-put.ts";
import { absent, all, exists, present } from "../../shared/platform/table/condition.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { type Actor, auditPut } from "../../shared/tenancy/audit-log.ts";
import type { Command } from "./command.ts";
import { programOf } from "./program-of.ts";

/**
 * Blocks a Card, in any status: it declines from the next authorization on, and its Program can neither change its status nor take its money.
 *
 * @throws CommandRefused when there is no such Card
 */
export const blockCard: Command<"block-card"> = (input, actor) => setBlock(input, true, actor);

/**
 * Lifts the block of a Card. The answer says whether it is still blocked, through its Cardholder.
 *
 * @throws CommandRefused when there is no such Card
 */
export const unblockCard: Command<"unblock-card"> = (input, actor) => setBlock(input, false, actor);

/** Repeating a command gives the same answer, and no second event or audit entry. */
async function setBlock(
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
