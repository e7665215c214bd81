import * as z from "zod";
import { BulkKind, BulkStatus, type BulkView, maximumBulks } from "../contract/bulk.ts";
import type { Line } from "../contract/route.ts";
import { listInsert, listUpdate } from "../lists/entry.ts";
import { defineList } from "../lists/kind.ts";
import { now, timestamp } from "../platform/clock.ts";
import { ApiError, limitReached } from "../platform/http/api-error.ts";
import type { ProgramScope } from "../platform/http/request.ts";
import { idTime, newId } from "../platform/id.ts";
import { outboxPut } from "../platform/outbox/outbox-put.ts";
import { pick } from "../platform/pick.ts";
import { isNew } from "../platform/table/condition.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { Conflict, retryDecision } from "../platform/table/retry.ts";
import { DoneBeforeError, transact, type WriteAction } from "../platform/table/transact.ts";
import { deleteLines, writeLines } from "./lines.ts";

/** How many lines have a result, by its status. */
const counts = { done: z.int(), succeeded: z.int(), duplicates: z.int(), failed: z.int() };

const Bulk = z.object({
  /** bulkId. */
  entityId: z.string(),
  kind: BulkKind,
  status: BulkStatus,
  /** Who began it, with the rights of then. */
  scope: z.custom<ProgramScope>((scope) => typeof scope === "object" && scope !== null),
  requestId: z.string(),
  lines: z.int(),
  ...counts,
  createdAt: z.string(),
  doneAt: z.string().optional(),
});
export type Bulk = Readonly<z.output<typeof Bulk>>;

export const bulks = defineEntity({
  name: "bulk",
  schema: Bulk,
  saysWhenChanged: true,
  key: (programId: string, bulkId: string) => ({ pk: `${programId}#${bulkId}`, sk: "BULK" }),
});

export const bulkList = defineList({
  name: "bulks",
  filters: ["kind", "status"],
  recordKey: ({ programId }, bulkId) => bulks.key(programId, bulkId),
});

const runningBulks = defineEntity({
  name: "running bulks",
  schema: z.object({ bulkIds: z.array(z.string()), version: z.int() }),
  key: (programId: string) => ({ pk: `${programId}#BULKS`, sk: "RUNNING" }),
});

/** One whose message was lost keeps no other from beginning once its lines are gone. */
const linesKeptMs = 8 * 86_400_000;

/**
 * The lines are stored first: what is begun has all of them.
 * @throws ApiError LIMIT_REACHED while as many run as may
 */
export async function beginBulk(
  { scope, requestId, body }: { scope: ProgramScope; requestId: string; body: readonly Line[] },
  kind: BulkKind,
): Promise<Bulk> {
  const { programId } = scope;
  const bulk: Bulk = {
    entityId: newId("bulk"),
    kind,
    status: "running",
    scope,
    requestId,
    lines: body.length,
    ...{ done: 0, succeeded: 0, duplicates: 0, failed: 0 },
    createdAt: timestamp(),
  };
  const place = { programId, bulkId: bulk.entityId };
  await writeLines(place, body);
  try {
    await changeRunning(programId, (running) => {
      const alive = running.filter((bulkId) => now().getTime() - idTime(bulkId).getTime() < linesKeptMs);
      if (alive.length >= maximumBulks) throw limitReached(maximumBulks, "bulks at once", alive.length);
      return {
        running: [...alive, bulk.entityId],
        writes: [
          {
            ...bulks.at(programId, bulk.entityId).create(bulk),
            alongside: [listInsert(bulkList, programId, bulk.entityId, bulk)],
          },
          outboxPut(programId, "bulk.requested", { bulkId: bulk.entityId }),
        ],
      };
    });
  } catch (error) {
    // After any other error, it may have begun.
    if (error instanceof ApiError || error instanceof DoneBeforeError) await deleteLines(place);
    throw error;
  }
  return bulk;
}

/** All lines have a result: the personal data in them is deleted, and another bulk may begin. */
export async function endBulk(programId: string, bulk: Bulk): Promise<void> {
  const { entityId: bulkId, lines } = bulk;
  await deleteLines({ programId, bulkId });
  const ended: Bulk = { ...bulk, status: "done", doneAt: timestamp() };
  await changeRunning(programId, (running) => ({
    running: running.filter((one) => one !== bulkId),
    writes: [
      {
        ...bulks
          .at(programId, bulkId)
          .update(
            { set: { status: ended.status, doneAt: ended.doneAt } },
            { status: "running", done: lines },
          ),
        alongside: [listUpdate(bulkList, programId, bulkId, bulk, ended)],
      },
    ],
  }));
}

interface RunningChange {
  readonly running: readonly string[];
  readonly writes: readonly WriteAction[];
}

/** Decides again if another bulk has begun or ended meanwhile. */
async function changeRunning(programId: string, decide: (running: readonly string[]) => RunningChange) {
  const item = runningBulks.at(programId);
  await retryDecision(async () => {
    const { bulkIds, version } = (await item.get()) ?? { bulkIds: [], version: 0 };
    const { running, writes } = decide(bulkIds);
    const next = { bulkIds: [...running], version: version + 1 };
    const outcome = await transact([...writes, item.put(next, version === 0 ? isNew : { version })]);
    // Another process has ended it.
    if (outcome.committed || outcome.failedConditions.has("bulk")) return undefined;
    return new Conflict("running bulks");
  });
}

export function toBulkView(bulk: Bulk): BulkView {
  return {
    bulkId: bulk.entityId,
    ...pick(bulk, "kind", "status", "lines", "done", "succeeded", "duplicates", "failed"),
    dateCreated: bulk.createdAt,
    dateDone: bulk.doneAt,
  };
}
