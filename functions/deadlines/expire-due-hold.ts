import { type Deadline, deadlineDelete } from "../../shared/deadline/deadline.ts";
import { authorizationOfDeadline } from "../../shared/hold/hold.ts";
import { expireHold } from "../../shared/processor/expire-hold.ts";
import { transact } from "../../shared/table/transact.ts";

/**
 * Releases a hold that the network has not resolved in seven days. The hold's own state is the claim: when an event was quicker, there is
 * nothing left to do but to take the deadline away.
 */
export async function expireDueHold({ ownerId: programId, deadlineId }: Deadline): Promise<void> {
  const expired = await expireHold(programId, authorizationOfDeadline(deadlineId));
  if (!expired) await transact([deadlineDelete(programId, deadlineId)]);
}
