import { authorizationOfDeadline } from "../../shared/domain/holds/hold.ts";
import { expireHold } from "../../shared/domain/network/expire-hold.ts";
import { type Deadline, deadlineMove } from "../../shared/platform/deadlines/deadline.ts";
import { transact } from "../../shared/platform/table/transact.ts";

/**
 * Releases a hold that the network has not resolved in seven days. The hold's own state is the claim: when an event was quicker, there is
 * nothing left to do but to take the deadline away, unless it is another one by now.
 */
export async function expireDueHold(deadline: Deadline): Promise<void> {
  const { ownerId: programId, deadlineId, dueAt } = deadline;
  const expired = await expireHold(programId, authorizationOfDeadline(deadlineId), dueAt);
  if (!expired) await transact([deadlineMove(deadline, undefined)]);
}
