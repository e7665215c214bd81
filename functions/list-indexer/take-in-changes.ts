import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBBatchResponse, DynamoDBRecord, DynamoDBStreamEvent } from "aws-lambda";
import { type ChangeRow, wakes } from "../../shared/listing/change-row.ts";
import { rescueLate } from "../../shared/listing/rescue-late.ts";
import { takeIn } from "../../shared/listing/take-in.ts";

/**
 * Keeps lists fast: takes in the changes that the stream tells of, now and then, and looks after those that came late. Each list is as it should be with or
 * without it; a batch may be brought again, in part or whole, and to several at once.
 */
export async function takeInChanges(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const rows = event.Records.map(rowOf);
  const lists = Map.groupBy(rows, ({ programId, listed }) => `${programId} ${listed}`);
  for (const changes of lists.values()) {
    const [{ programId, listed: kind }] = changes as [ChangeRow];
    await rescueLate({ programId, kind }, changes);
    if (changes.some(wakes)) await takeIn({ programId, kind });
  }
  return { batchItemFailures: [] };
}

function rowOf({ dynamodb }: DynamoDBRecord): ChangeRow {
  return unmarshall((dynamodb?.NewImage ?? {}) as Record<string, AttributeValue>) as ChangeRow;
}
