import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from "aws-lambda";
import { wakes } from "../../shared/lists/change-row.ts";
import { rescueLate, type StreamedChange } from "../../shared/lists/rescue-late.ts";
import { settledMs, takeIn } from "../../shared/lists/take-in.ts";
import { pause } from "../../shared/platform/clock.ts";

/**
 * Keeps lists fast: takes in the changes that the stream tells of, now and then, and looks after those that came late. Each list is as it should be with or
 * without it; a batch may be brought again, in part or whole, and to several at once.
 */
export async function takeInChanges(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const changes = event.Records.map(changeOf);
  const lists = Map.groupBy(changes, ({ row }) => `${row.programId} ${row.listed} ${row.owner ?? ""}`);
  // All lists of the batch settle during one wait.
  let wait: Promise<void> | undefined;
  const settle = () => {
    wait ??= pause(settledMs);
    return wait;
  };
  for (const ofList of lists.values()) {
    const [{ row }] = ofList as [StreamedChange];
    const list = { programId: row.programId, kind: row.listed, owner: row.owner };
    await rescueLate(list, ofList);
    if (ofList.some((change) => wakes(change.row))) await takeIn(list, settle);
  }
  return { batchItemFailures: [] };
}

function changeOf({ dynamodb }: DynamoDBRecord): StreamedChange {
  const row = unmarshall((dynamodb?.NewImage ?? {}) as Record<string, AttributeValue>);
  const committedAt = dynamodb?.ApproximateCreationDateTime;
  return {
    row: row as StreamedChange["row"],
    ...(committedAt !== undefined && { committedAt: committedAt * 1_000 }),
  };
}
