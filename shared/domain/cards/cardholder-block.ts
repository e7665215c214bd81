import { timestamp } from "../../platform/clock.ts";
import { type Deadline, deadlinePut } from "../../platform/deadlines/deadline.ts";
import { newId } from "../../platform/id.ts";
import { outboxPut } from "../../platform/outbox/outbox-put.ts";
import { absent, all, exists, present } from "../../platform/table/condition.ts";
import { Conflict, retry } from "../../platform/table/retry.ts";
import { transact, type WriteAction } from "../../platform/table/transact.ts";
import { type Cardholder, cardholders, getCardholder } from "../cardholders/cardholder.ts";
import { cards } from "./card.ts";
import { cardIdsOf } from "./cards-of-cardholder.ts";

/**
 * A Cardholder's item carries the block, and each of its Cards a copy, since an authorization looks at the Card alone. A Cardholder may have more
 * Cards than fit into a transaction: the item is marked first, and what is issued from then on carries the copy from the start.
 */

/** Few enough that a busy card holds up few others. */
const cardsInATransaction = 25;
/** Whoever changed the block brings it to the Cards at once; the deadline is for one who was interrupted. */
const graceMs = 60_000;

/** The deadline of a change of the block: it is written with the change, and brings it to the Cards if nobody else has. */
export function cardholderBlockDeadline(programId: string, cardholderId: string, at: Date): Deadline {
  return {
    ownerId: programId,
    deadlineId: `cardholder-block:${cardholderId}:${newId("event")}`,
    kind: "apply_cardholder_block",
    cardholderId,
    dueAt: new Date(at.getTime() + graceMs),
  };
}

/**
 * The writes of a change of the block: the Cardholder, named `cardholder`, where it is a change, the deadline, and the
 * event.
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
 * Brings a Cardholder's block, or that there is none, to all of its Cards. Repeatable; where the block changes meanwhile, it begins again.
 *
 * @returns How many Cards there are.
 * @throws ApiError NOT_FOUND
 * @throws ContendedError
 */
export function applyCardholderBlock(programId: string, cardholderId: string): Promise<number> {
  return retry(async () => {
    const cardholder = await getCardholder(programId, cardholderId);
    const cardIds = await cardIdsOf(programId, cardholderId);
    const isApplied = await applyTo(cardIds, programId, cardholder);
    return isApplied ? cardIds.length : new Conflict("cardholder");
  });
}

/** False where the Cardholder's block is no longer as it was seen. */
async function applyTo(
  cardIds: readonly string[],
  programId: string,
  cardholder: Cardholder,
): Promise<boolean> {
  const { entityId, blockedAt } = cardholder;
  const unchanged = cardholders.at(programId, entityId).check(all(exists, { blockedAt }));
  for (let first = 0; first < cardIds.length; first += cardsInATransaction) {
    const copies = cardIds
      .slice(first, first + cardsInATransaction)
      .map((cardId) => copyTo(programId, cardId, cardholder));
    const outcome = await transact([unchanged, ...copies]);
    if (outcome.committed) continue;
    if (outcome.failedConditions.has("cardholder")) return false;
    throw new Error(`A Card of the Cardholder ${cardholder.entityId} does not exist.`);
  }
  return true;
}

function copyTo(programId: string, cardId: string, { blockedAt }: Cardholder): WriteAction {
  const change =
    blockedAt === undefined
      ? { remove: ["cardholderBlockedAt" as const] }
      : { set: { cardholderBlockedAt: blockedAt } };
  return cards.at(programId, cardId).update(change, exists);
}
