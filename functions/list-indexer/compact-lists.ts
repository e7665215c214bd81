import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from "aws-lambda";
import { streamedChanges } from "../../shared/list-kinds.ts";
import { compactList, settleMs } from "../../shared/lists/compaction.ts";
import { type List, triggersCompaction } from "../../shared/lists/entry.ts";
import { rewriteLateChanges, type StreamedChange } from "../../shared/lists/late-changes.ts";
import { deleteOldChanges } from "../../shared/lists/old-changes.ts";
import { pause } from "../../shared/platform/clock.ts";
import { log } from "../../shared/platform/log.ts";
import { advanceCheckpoints } from "./advance-checkpoints.ts";

/**
 * Compacts lists whose changes arrive through the stream, rewrites late changes, deletes old ones,
 * and advances the checkpoints of accounts. Neither lists nor proofs depend on it. Batches may
 * arrive repeatedly, in part, or concurrently.
 */
export async function compactLists(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const changes = event.Records.flatMap(toChanges);
  const lists = Map.groupBy(changes, ({ list }) => `${list.programId} ${list.kind.name} ${list.owner ?? ""}`);
  // All lists of the batch settle during one wait.
  let wait: Promise<void> | undefined;
  const settle = () => {
    wait ??= pause(settleMs);
    return wait;
  };
  const compacted: List[] = [];
  for (const ofList of lists.values()) {
    const [{ list }] = ofList as [ListedChange];
    await rewriteLateChanges(list, ofList);
    if (!ofList.some((change) => triggersCompaction(list.kind, change.row))) continue;
    // Newer changes have batches of their own: the call ends with this one's.
    await compactList(
      list,
      settle,
      ofList.map(({ row }) => row),
    );
    compacted.push(list);
  }
  // Last: no list's compaction waits for it.
  for (const list of compacted) {
    const { programId, kind, owner } = list;
    await deleteOldChanges(list).catch((error) =>
      log.error("Old changes could not be deleted.", { programId, list: kind.name, owner, error }),
    );
  }
  await advanceCheckpoints(changes.map(({ row }) => row));
  return { batchItemFailures: [] };
}

interface ListedChange extends StreamedChange {
  readonly list: List;
}

function toChanges({ dynamodb }: DynamoDBRecord): ListedChange[] {
  const item = unmarshall((dynamodb?.NewImage ?? {}) as Record<string, AttributeValue>);
  const { ApproximateCreationDateTime: seconds } = dynamodb ?? {};
  const committedAt = seconds === undefined ? undefined : seconds * 1_000;
  return streamedChanges(item).map((change) => ({ ...change, committedAt }));
}
