import { type Deadline, deadlineMove } from "../../shared/platform/deadlines/deadline.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { applyRateLimits } from "../../shared/tenancy/usage/program-usage.ts";

/** Finishes a change of a Program's limits that was killed before the gateway knew them. Repeating it changes nothing. */
export async function applyDueLimits(deadline: Deadline): Promise<void> {
  await applyRateLimits(deadline.ownerId);
  await transact([deadlineMove(deadline, undefined)]);
}
