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

/** Records of one invocation, as from the stream. */
const batchSize = 100;
/** Most pages without records that are read. */
const emptyPages = 100;
const Answer = z.object({ batchItemFailures: z.array(z.unknown()) });

/**
 * Delivers the records of a failed batch to their consumer again: the stream keeps them for 24 hours. Events that were
 * published before are published twice, and consumers recognize them by their ids; changes of lists count once.
 *
 * @throws Error where the stream has lost them, or the consumer fails again
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
      throw new Error("The stream keeps its records for 24 hours, and no longer has these.", {
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
  throw new Error("The stream does not reach the end of the batch. The message stays.");
}

/** What the filter of the stream's consumer lets through. */
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
  throw new Error("The consumer failed again: its log says why. The message stays.");
}
