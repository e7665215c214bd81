import { timestamp } from "../../platform/clock.ts";
import { type Deadline, deadlinePut } from "../../platform/deadlines/deadline.ts";
import { newId } from "../../platform/id.ts";
import { outboxPut } from "../../platform/outbox/outbox-put.ts";
import { absent, all, exists, present } from "../../platform/table/condition.ts";
import { Conflict, retry } from "../../platform/table/retry.ts";
import { transact, type WriteAction } from "../../platform/table/transact.ts";
import { type Cardholder, cardholders, getCardholder } from "../cardholders/cardholder.ts";
import { cards } from "./card.ts";
import { listCardIds } from "./cards-of-cardholder.ts";

/**
 * The Cardholder's item has the block and each Card a copy, since an authorization reads only the Card. A
 * Cardholder may have more Cards than fit into one transaction: the item is marked first, and later Cards
 * copy the block at issuance.
 */

/** Few enough that a busy card holds up few others. */
const cardsInATransaction = 25;
/** The command copies the block at once; the deadline covers an interruption. */
const graceMs = 60_000;

/** Written with the change of the block; copies it to the Cards if the command was interrupted. */
export function cardholderBlockDeadline(programId: string, cardholderId: string, at: Date): Deadline {
  return {
    ownerId: programId,
    deadlineId: `cardholder-block:${cardholderId}:${newId("event")}`,
    kind: "apply_cardholder_block",
    cardholderId,
    dueAt: new Date(at.getTime() + graceMs),
  };
}

/** The Cardholder (condition `cardholder`: must be a change), the deadline and the event. */
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
 * Copies the Cardholder's block, or its absence, to all Cards. Repeatable; restarts if the block changes
 * meanwhile.
 * @returns the number of Cards
 * @throws ApiError NOT_FOUND
 * @throws ContendedError
 */
export function applyCardholderBlock(programId: string, cardholderId: string): Promise<number> {
  return retry(async () => {
    const cardholder = await getCardholder(programId, cardholderId);
    const cardIds = await listCardIds(programId, cardholderId);
    const isApplied = await applyTo(cardIds, programId, cardholder);
    return isApplied ? cardIds.length : new Conflict("cardholder");
  });
}

/** False if the Cardholder's block has changed. */
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
