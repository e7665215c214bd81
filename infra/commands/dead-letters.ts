import { type _Record, TrimmedDataAccessException } from "@aws-sdk/client-dynamodb-streams";
import { InvokeCommand } from "@aws-sdk/client-lambda";
import { DeleteMessageCommand, type Message, SendMessageCommand } from "@aws-sdk/client-sqs";
import * as z from "zod";
import type { operatorCommands } from "../../shared/contract/operator.ts";
import { didYouMean } from "../command-line/did-you-mean.ts";
import { UsageError } from "../command-line/options.ts";
import { countLetters, eachLetter, readLetter, StreamBatch, showLetters } from "./dead-letters/letters.ts";
import { type Source, streamSources, toSource } from "./dead-letters/sources.ts";
import { findQueueUrl, findTarget, type Target } from "./dead-letters/target.ts";
import { readShard } from "./read-shard.ts";

const maximumShown = 100;

interface DeadLettersOptions {
  readonly environment: string;
  readonly writeAudit: WriteAudit;
}

/** What comes after each of its words. */
const takes: Readonly<Record<string, string>> = {
  list: "",
  show: " <queue>",
  redrive: " <queue> [message id]",
  discard: " <queue> <message id> <reason>",
};

export async function deadLetters(words: readonly string[], options: DeadLettersOptions): Promise<unknown> {
  const [verb = "list", queue, messageId, reason] = words;
  const { environment, writeAudit } = options;
  const count = words.length;
  if (verb === "list" && count <= 1) return { queues: await countLetters(await findTarget(environment)) };
  if (verb === "show" && count === 2) {
    const source = toSource(queue);
    return { letters: await showLetters(await findTarget(environment), source, maximumShown) };
  }
  if (verb === "redrive" && (count === 2 || count === 3)) {
    const source = toSource(queue);
    return { putBack: await redrive(await findTarget(environment), source, { messageId, writeAudit }) };
  }
  if (verb === "discard" && messageId !== undefined && reason !== undefined && count === 4) {
    const source = toSource(queue);
    await discard(await findTarget(environment), source, { messageId, reason, writeAudit });
    return { discarded: messageId };
  }
  const uses = Object.entries(takes).map(([name, after]) => `  dead-letters ${name}${after}`);
  const hint = Object.hasOwn(takes, verb) ? "" : didYouMean(verb, Object.keys(takes));
  throw new UsageError(`dead-letters ${words.join(" ")} is none of these.${hint}\n${uses.join("\n")}`);
}

type AuditCommands = Pick<typeof operatorCommands, "record-discard" | "record-redrive">;

export type WriteAudit = <C extends keyof AuditCommands>(
  command: C,
  input: z.input<AuditCommands[C]["input"]>,
) => Promise<unknown>;

/**
 * Returns dead letters to their queue, or a stream's records to its consumer. Sends before it
 * deletes; consumers deduplicate. Stops at the first failure.
 */
export async function redrive(
  target: Target,
  source: Source,
  { messageId, writeAudit }: { readonly messageId?: string | undefined; readonly writeAudit: WriteAudit },
): Promise<number> {
  let moved = 0;
  const to = streamSources.has(source) ? undefined : await findQueueUrl(target, source);
  await eachLetter(target, source, async (message, from) => {
    if (messageId !== undefined && message.MessageId !== messageId) return "keep";
    if (moved === 0) await writeAudit("record-redrive", { queue: source, messageId });
    if (to === undefined) await relayAgain(target, source, readBatch(message));
    else await send(target, message, to);
    await remove(target, message, from);
    moved += 1;
    return "gone";
  });
  if (messageId !== undefined && moved === 0) throw notFound(source, messageId);
  return moved;
}

/** The audit log first records it with the reason. */
async function discard(
  target: Target,
  queue: Source,
  options: { readonly messageId: string; readonly reason: string; readonly writeAudit: WriteAudit },
): Promise<void> {
  const { messageId, reason, writeAudit } = options;
  let isFound = false;
  await eachLetter(target, queue, async (message, url) => {
    if (message.MessageId !== messageId) return "keep";
    isFound = true;
    await writeAudit("record-discard", { ...readLetter(message), queue, reason });
    await remove(target, message, url);
    return "gone";
  });
  if (!isFound) throw notFound(queue, messageId);
}

function notFound(queue: Source, messageId: string): Error {
  return new Error(`${queue} has no dead letter ${messageId}.`);
}

async function remove({ sqs }: Target, { ReceiptHandle }: Message, QueueUrl: string): Promise<void> {
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
}

async function send({ sqs }: Target, { Body, Attributes }: Message, QueueUrl: string): Promise<void> {
  const groupId = Attributes?.MessageGroupId;
  const group = groupId !== undefined && { MessageGroupId: groupId };
  await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: Body, ...group }));
}

function readBatch({ MessageId, Body = "" }: Message): StreamBatch {
  const batch = StreamBatch.safeParse(JSON.parse(Body));
  if (batch.success) return batch.data;
  throw new Error(`The message ${MessageId} is not Lambda's record of a stream batch.`);
}

const batchSize = 100;
const emptyPages = 100;
const Answer = z.object({ batchItemFailures: z.array(z.unknown()) });

/** The stream keeps records for 24 hours. Events may be published twice; consumers deduplicate. */
async function relayAgain(
  target: Target,
  source: Source,
  { requestContext, DDBStreamBatchInfo }: StreamBatch,
): Promise<void> {
  const records = (await readRecords(target, DDBStreamBatchInfo)).filter((record) =>
    concerns(source, record),
  );
  for (let start = 0; start < records.length; start += batchSize) {
    const Records = records.slice(start, start + batchSize).map(toLambda);
    await invoke(target, requestContext.functionArn, { Records });
  }
}

async function readRecords(
  { streams, streamArn }: Target,
  { startSequenceNumber, endSequenceNumber, ...batch }: StreamBatch["DDBStreamBatchInfo"],
): Promise<_Record[]> {
  const start = {
    StreamArn: await streamArn(batch.streamArn),
    ShardId: batch.shardId,
    ShardIteratorType: "AT_SEQUENCE_NUMBER",
    SequenceNumber: startSequenceNumber,
  } as const;
  const records: _Record[] = [];
  try {
    for await (const record of readShard(streams, start, emptyPages)) {
      const number = BigInt(record.dynamodb?.SequenceNumber ?? 0);
      if (number <= BigInt(endSequenceNumber)) records.push(record);
      if (number >= BigInt(endSequenceNumber)) return records;
    }
  } catch (cause) {
    if (!(cause instanceof TrimmedDataAccessException)) throw cause;
    throw new Error("These records have expired: the stream keeps records for 24 hours.", { cause });
  }
  throw new Error("The end of the batch is not in the stream. The message stays in the queue.");
}

function concerns(source: Source, { eventName, dynamodb }: _Record): boolean {
  if (eventName !== "INSERT") return false;
  return source === "list-indexer"
    ? dynamodb?.NewImage?.listed !== undefined
    : dynamodb?.Keys?.sk?.S === "OUTBOX" || dynamodb?.NewImage?.outbox !== undefined;
}

function toLambda({ dynamodb, ...record }: _Record) {
  const at = dynamodb?.ApproximateCreationDateTime;
  return {
    ...record,
    dynamodb: { ...dynamodb, ...(at && { ApproximateCreationDateTime: Math.floor(at.getTime() / 1000) }) },
  };
}

/** As Lambda writes the records of a stream. */
function bytesInBase64(_: string, value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;
}

async function invoke({ lambda }: Target, functionArn: string, event: unknown): Promise<void> {
  const { Payload, FunctionError } = await lambda.send(
    new InvokeCommand({
      FunctionName: functionArn.replace(/:\$LATEST$/, ""),
      Payload: new TextEncoder().encode(JSON.stringify(event, bytesInBase64)),
    }),
  );
  const answer = Answer.safeParse(JSON.parse(new TextDecoder().decode(Payload)));
  if (FunctionError === undefined && answer.data?.batchItemFailures.length === 0) return;
  throw new Error("The consumer failed again; see its log. The message stays in the queue.");
}
