import { paginateQuery, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { now } from "../platform/clock.ts";
import { environment } from "../platform/environment.ts";
import { changeIdTime } from "../platform/id.ts";
import { table } from "../platform/table/client.ts";
import { listKey } from "../platform/table/list-keys.ts";
import { transact } from "../platform/table/transact.ts";
import { unpack } from "./block.ts";
import { type ChangeRow, changePut, entriesOf } from "./change-row.ts";
import type { ListOf } from "./listed-kind.ts";
import { changeRows } from "./stored-parts.ts";
import { settledMs, takeAtLeast } from "./take-in.ts";

/** How far two clocks may be apart. */
const skewMs = 1_000;
/** The stream tells the second of a commit, rounded down. */
const roundedMs = 1_000;

/** A change as the stream brings it. */
export interface StreamedChange {
  readonly row: ChangeRow;
  /** When it was committed, in milliseconds, as far as the stream tells. */
  readonly committedAt?: number;
}

/**
 * Finds the changes that were committed later than a change may be and missed when those of their time were taken in, and writes them again as of now. A change
 * that is merely told of late was taken in, or will be: until that is certain, it is made so. To be called with every change once, at least.
 */
export async function rescueLate(list: ListOf, changes: readonly StreamedChange[]): Promise<void> {
  const old = changes
    .filter(mayBeLate)
    .map(({ row }) => row)
    .toSorted((left, right) => (left.sk < right.sk ? -1 : 1));
  const newest = old.at(-1);
  if (!newest) return;
  // Somebody may have read the changes of that time before this one was there, and not committed yet.
  const since = await takeAtLeast(list, newest.sk);
  let taken: { until: string; ids: Set<string> } | undefined;
  for (const row of old.filter(({ sk }) => sk < since)) {
    if (!taken || row.sk >= taken.until) taken = await takenAround(list, row.sk);
    if (!taken.ids.has(row.sk)) await rescue(list, row);
  }
}

/** Whether it may have been committed later than a change may be. An indexer that lags brings changes that were committed in time. */
function mayBeLate({ row, committedAt = Number.NEGATIVE_INFINITY }: StreamedChange): boolean {
  const made = changeIdTime(row.sk);
  const latestCommit = committedAt + roundedMs + skewMs;
  const committedBy = latestCommit < made ? now().getTime() : latestCommit;
  return made <= committedBy - settledMs + skewMs;
}

/**
 * Finds all that were missed, from a change on, and writes them again, whether or not the stream has told of them. It reads every change since then: for a
 * rebuild, while which nothing is taken in.
 */
export async function rescueMissed(list: ListOf, since = ""): Promise<void> {
  const query = {
    TableName: environment.issuingTable,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :taken AND sk > :since",
    ExpressionAttributeValues: { ":taken": listKey.taken(list, "").pk, ":since": since || "!" },
  };
  let from = since;
  for await (const { Items = [] } of paginateQuery({ client: table }, query)) {
    for (const item of Items) {
      const { until, ids } = takenIn(item);
      const rows = await changeRows(list, from, until);
      for (const row of rows.filter(({ sk }) => sk < until && !ids.has(sk))) await rescue(list, row);
      from = until;
    }
  }
}

/** The changes that were taken in together with those of the time of one. */
async function takenAround(list: ListOf, changeId: string) {
  const { Items } = await table.send(
    new QueryCommand({
      TableName: environment.issuingTable,
      ConsistentRead: true,
      KeyConditionExpression: "pk = :taken AND sk > :changeId",
      ExpressionAttributeValues: {
        ":taken": listKey.taken(list, "").pk,
        ":changeId": changeId,
      },
      Limit: 1,
    }),
  );
  const [item] = Items ?? [];
  if (!item) throw new Error(`Nothing tells what was taken in after ${changeId}.`);
  return takenIn(item);
}

function takenIn({ sk, body }: Record<string, unknown>): { until: string; ids: Set<string> } {
  return { until: String(sk), ids: new Set(unpack<string[]>(body as Uint8Array)) };
}

/** Once only, however often it is told of. */
async function rescue(list: ListOf, row: ChangeRow): Promise<void> {
  await transact([
    {
      name: "late",
      Update: {
        TableName: environment.issuingTable,
        Key: { pk: row.pk, sk: row.sk },
        UpdateExpression: "SET rescuedAt = :again",
        ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(rescuedAt)",
        ExpressionAttributeValues: { ":again": now().toISOString() },
      },
    },
    changePut(list, entriesOf(row)),
  ]);
}
