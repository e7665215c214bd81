import * as z from "zod";
import { type Cardholder, cardholders, getCardholder } from "../cardholders/cardholder.ts";
import { timestamp } from "../platform/clock.ts";
import { type Deadline, deadlinePut, defineDeadline } from "../platform/deadlines.ts";
import { newId } from "../platform/id.ts";
import { outboxPut } from "../platform/outbox/outbox-put.ts";
import { absent, all, exists, present } from "../platform/table/condition.ts";
import { retry } from "../platform/table/retry.ts";
import { transact, type WriteAction } from "../platform/table/transact.ts";
import { cards } from "./card.ts";
import { listCardIds } from "./cards-of-cardholder.ts";

/** Few enough that a busy Card delays few others. */
const cardsInATransaction = 25;
/** The command copies the block at once; the deadline covers an interruption. */
const graceMs = 60_000;
export const application = defineDeadline(
  "apply_cardholder_block",
  "urgent",
  z.object({ cardholderId: z.string() }),
);

/** Written with the change of the block; copies it to the Cards if the command was interrupted. */
export function cardholderBlockDeadline(programId: string, cardholderId: string, at: Date): Deadline {
  const deadlineId = `cardholder-block:${cardholderId}:${newId("event")}`;
  const dueAt = new Date(at.getTime() + graceMs);
  return application.at({ ownerId: programId, deadlineId, dueAt, cardholderId });
}

/**
 * The block on the Cardholder's item, its deadline and event. Each Card gets a copy afterwards,
 * since an authorization reads only the Card; Cards issued later copy it at issuance. Failed
 * condition: `cardholder`, if nothing changes.
 */
export function cardholderBlockWrites(
  programId: string,
  cardholderId: string,
  isBlocked: boolean,
  deadline: Deadline,
  at: Date,
): WriteAction[] {
  const cardholder = cardholders.at(programId, cardholderId);
  return [
    isBlocked
      ? cardholder.update({ set: { blockedAt: timestamp(at) } }, all(exists, { blockedAt: absent }))
      : cardholder.update({ remove: ["blockedAt"] }, { blockedAt: present }),
    deadlinePut(deadline),
    outboxPut(programId, isBlocked ? "cardholder.blocked" : "cardholder.unblocked", { cardholderId }, at),
  ];
}

/**
 * Copies the Cardholder's block, or its absence, to all Cards. Repeatable; starts again from the
 * first Card if the block changes meanwhile. All transactions share the time of the invocation.
 * @returns the number of Cards
 * @throws ApiError NOT_FOUND
 * @throws ContendedError
 */
export async function applyCardholderBlock(programId: string, cardholderId: string): Promise<number> {
  const cardIds = await listCardIds(programId, cardholderId);
  let cardholder = await getCardholder(programId, cardholderId);
  let copied = 0;
  while (copied < cardIds.length) {
    const batch = cardIds.slice(copied, copied + cardsInATransaction);
    copied = await retry(async () => {
      const outcome = await transact(copies(programId, cardholder, batch));
      if (outcome.committed) return copied + batch.length;
      if (!outcome.failedConditions.has("cardholder"))
        throw new Error(`A Card of the Cardholder ${cardholderId} does not exist.`);
      cardholder = await getCardholder(programId, cardholderId);
      return 0;
    });
  }
  return cardIds.length;
}

/** Requires that the Cardholder's block is as read. */
function copies(programId: string, cardholder: Cardholder, cardIds: readonly string[]): WriteAction[] {
  const { entityId, blockedAt } = cardholder;
  const change =
    blockedAt === undefined
      ? { remove: ["cardholderBlockedAt" as const] }
      : { set: { cardholderBlockedAt: blockedAt } };
  return [
    cardholders.at(programId, entityId).check(all(exists, { blockedAt })),
    ...cardIds.map((cardId) => cards.at(programId, cardId).update(change, exists)),
  ];
}
