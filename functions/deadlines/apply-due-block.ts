import { applyCardholderBlock, cardholderOfDeadline } from "../../shared/domain/cards/cardholder-block.ts";
import { type Deadline, deadlineMove } from "../../shared/platform/deadlines/deadline.ts";
import { transact } from "../../shared/platform/table/transact.ts";

/** Brings a Cardholder's block to its Cards where the command that changed it was interrupted. */
export async function applyDueBlock(deadline: Deadline): Promise<void> {
  await applyCardholderBlock(deadline.ownerId, cardholderOfDeadline(deadline.deadlineId));
  await transact([deadlineMove(deadline, undefined)]);
}
