import { expireHold } from "../../shared/domain/network/expire-hold.ts";
import { type DeadlineOf, deadlineMove } from "../../shared/platform/deadlines/deadline.ts";
import { transact } from "../../shared/platform/table/transact.ts";

/**
 * Releases a hold that the network has not resolved in seven days. The hold's own state is the claim: when an event was quicker, there is
 * nothing left to do but to take the deadline away, unless it is another one by now.
 */
export async function expireDueHold(deadline: DeadlineOf<"expire_hold">): Promise<void> {
  const { ownerId: programId, authorizationId, dueAt } = deadline;
  const expired = await expireHold(programId, authorizationId, dueAt);
  if (!expired) await transact([deadlineMove(deadline, undefined)]);
}
