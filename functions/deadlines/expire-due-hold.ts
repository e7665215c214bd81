import { type Deadline, deadlineMove } from "../../shared/deadline/deadline.ts";
import { authorizationOfDeadline } from "../../shared/hold/hold.ts";
import { expireHold } from "../../shared/processor/expire-hold.ts";
import { transact } from "../../shared/table/transact.ts";

/**
 * Releases a hold that the network has not resolved in seven days. The hold's own state is the claim: when an event was quicker, there is
 * nothing left to do but to take the deadline away, unless it is another one by now.
 */
export async function expireDueHold(deadline: Deadline): Promise<void> {
  const { ownerId: programId, deadlineId, dueAt } = deadline;
  const expired = await expireHold(programId, authorizationOfDeadline(deadlineId), dueAt);
  if (!expired) await transact([deadlineMove(deadline, undefined)]);
}
