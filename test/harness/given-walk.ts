import { nextChangesWalk } from "../../shared/lists/compaction.ts";
import { deadlineReplace } from "../../shared/platform/deadlines.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { noWalkUntil } from "./stored.ts";

/** Each Program has it. */
export async function givenWalk(programId: string, from = noWalkUntil): Promise<void> {
  await transact([deadlineReplace(nextChangesWalk(programId, from))]);
}
