import { giveExpiry } from "../../shared/authorizations/holds/give-expiry.ts";
import { holds } from "../../shared/authorizations/holds/hold.ts";
import { begunHolds, walkedAfterMs } from "../../shared/authorizations/holds/hold-rules.ts";
import { ridingLists } from "../../shared/list-kinds.ts";
import {
  changesWalk,
  compactOldChanges,
  monthMs,
  nextChangesWalk,
  readFirstChanges,
} from "../../shared/lists/compaction.ts";
import { changedEntries } from "../../shared/lists/kind.ts";
import { deleteOldChanges } from "../../shared/lists/late-changes.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import { type DueDeadline, deadlineClaim } from "../../shared/platform/deadlines.ts";
import { earliestChangeId } from "../../shared/platform/id.ts";
import { inLanes } from "../../shared/platform/in-lanes.ts";
import { readBatch } from "../../shared/platform/table/batch.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { isTimeUp } from "../../shared/platform/time-budget.ts";

/** One part of a walk takes a second, even if all of its holds are open. They are days old. */
const rowsOfShard = { Limit: 100, ConsistentRead: false };

/**
 * Walks the rows that have come of age since the last walk. What is done twice, after a kill or by
 * a second walker, changes nothing. Without time for them all, the next sweep goes on.
 */
export async function walkChanges(deadline: DueDeadline): Promise<void> {
  const { ownerId: programId } = deadline;
  const at = now();
  const old = earliestChangeId(new Date(at.getTime() - walkedAfterMs));
  let { walkedTo = "", compactedAt = timestamp(at) } = changesWalk.parse(deadline);
  while (walkedTo < old && !isTimeUp()) walkedTo = await giveExpiries(programId, walkedTo, old);
  const isDone = walkedTo >= old;
  if (isDone && at.getTime() - Date.parse(compactedAt) >= monthMs) {
    for (const kind of ridingLists) {
      await compactOldChanges({ programId, kind });
      await deleteOldChanges({ programId, kind });
    }
    compactedAt = timestamp(at);
  }
  const next = isDone ? nextChangesWalk(programId, at).dueAt : at;
  await transact([deadlineClaim(deadline, next, { walkedTo, compactedAt })]);
}

/** Gives holds that began then, and are open, their deadlines. Returns up to which row. */
async function giveExpiries(programId: string, from: string, before: string): Promise<string> {
  const list = { programId, kind: begunHolds };
  const { rows, until } = await readFirstChanges(list, from, before, rowsOfShard);
  const ids = new Set(rows.flatMap(changedEntries).map(({ id }) => id));
  const found = await readBatch(
    [...ids].map((id) => holds.key(programId, id)),
    false,
  );
  await inLanes(
    found.map((item) => holds.parse(item)),
    giveExpiry,
  );
  return until;
}
