import {
  type _Record,
  GetRecordsCommand,
  GetShardIteratorCommand,
  TrimmedDataAccessException,
} from "@aws-sdk/client-dynamodb-streams";
import { InvokeCommand } from "@aws-sdk/client-lambda";
import * as z from "zod";
import type { StreamBatch } from "./letter.ts";
import type { Source, Target } from "./target.ts";

/** Records per invocation. */
const batchSize = 100;
/** Maximum number of pages without records. */
const emptyPages = 100;
const Answer = z.object({ batchItemFailures: z.array(z.unknown()) });

/**
 * Sends a failed batch's records, which the stream keeps for 24 hours, to their consumer again.
 * Events may be published twice; consumers deduplicate by id.
 */
export async function relayAgain(
  target: Target,
  source: Source,
  { requestContext, DDBStreamBatchInfo }: StreamBatch,
): Promise<void> {
  const records = (await recordsOf(target, DDBStreamBatchInfo)).filter((record) => isOf(source, record));
  for (let start = 0; start < records.length; start += batchSize) {
    const Records = records.slice(start, start + batchSize).map(toLambda);
    await invoke(target, requestContext.functionArn, { Records });
  }
}

async function recordsOf(
  { streams, streamArn }: Target,
  {
    streamArn: StreamArn,
    shardId: ShardId,
    startSequenceNumber,
    endSequenceNumber,
  }: StreamBatch["DDBStreamBatchInfo"],
): Promise<_Record[]> {
  const records: _Record[] = [];
  let { ShardIterator } = await streams
    .send(
      new GetShardIteratorCommand({
        StreamArn: await streamArn(StreamArn),
        ShardId,
        ShardIteratorType: "AT_SEQUENCE_NUMBER",
        SequenceNumber: startSequenceNumber,
      }),
    )
    .catch((error: unknown) => {
      if (!(error instanceof TrimmedDataAccessException)) throw error;
      throw new Error("These records have expired: the stream keeps records for 24 hours.", {
        cause: error,
      });
    });
  for (let empty = 0; ShardIterator !== undefined && empty < emptyPages; ) {
    const { Records = [], NextShardIterator } = await streams.send(new GetRecordsCommand({ ShardIterator }));
    if (Records.length === 0) empty += 1;
    for (const record of Records) {
      const number = BigInt(record.dynamodb?.SequenceNumber ?? 0);
      if (number > BigInt(endSequenceNumber)) return records;
      records.push(record);
      if (number === BigInt(endSequenceNumber)) return records;
    }
    ShardIterator = NextShardIterator;
  }
  throw new Error("The end of the batch is not in the stream. The message stays in the queue.");
}

/** Whether the consumer's filter accepts the record. */
function isOf(source: Source, { eventName, dynamodb }: _Record): boolean {
  if (eventName !== "INSERT") return false;
  return source === "list-indexer"
    ? dynamodb?.NewImage?.listed !== undefined
    : dynamodb?.Keys?.sk?.S === "OUTBOX";
}

function toLambda({ dynamodb, ...record }: _Record) {
  const at = dynamodb?.ApproximateCreationDateTime;
  return {
    ...record,
    dynamodb: { ...dynamodb, ...(at && { ApproximateCreationDateTime: Math.floor(at.getTime() / 1000) }) },
  };
}

async function invoke({ lambda }: Target, functionArn: string, event: unknown): Promise<void> {
  const { Payload, FunctionError } = await lambda.send(
    new InvokeCommand({
      FunctionName: functionArn.replace(/:\$LATEST$/, ""),
      Payload: new TextEncoder().encode(JSON.stringify(event)),
    }),
  );
  const answer = Answer.safeParse(JSON.parse(new TextDecoder().decode(Payload)));
  if (FunctionError === undefined && answer.data?.batchItemFailures.length === 0) return;
  throw new Error("The consumer failed again; see its log. The message stays in the queue.");
}
