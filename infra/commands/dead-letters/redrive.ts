import { DeleteMessageCommand, type Message, SendMessageCommand } from "@aws-sdk/client-sqs";
import type * as z from "zod";
import type { operatorCommands } from "../../../shared/contract/operator.ts";
import { readLetter, StreamBatch } from "./letter.ts";
import { eachLetter } from "./read-letters.ts";
import { relayAgain } from "./relay-again.ts";
import { type Source, streamSources, type Target, urlOf } from "./target.ts";

type AuditCommands = Pick<typeof operatorCommands, "record-discard" | "record-redrive">;

/** Writes an audit entry with the caller before the change. */
export type WriteAudit = <C extends keyof AuditCommands>(
  command: C,
  input: z.input<AuditCommands[C]["input"]>,
) => Promise<unknown>;

/**
 * Returns one or all dead letters to their queue, or a stream's records to its consumer. Sends
 * before it deletes; consumers deduplicate. Returns their number. Throws at the first failure.
 */
export async function redrive(
  target: Target,
  source: Source,
  { messageId, writeAudit }: { readonly messageId?: string | undefined; readonly writeAudit: WriteAudit },
): Promise<number> {
  let moved = 0;
  const to = streamSources.has(source) ? undefined : await urlOf(target, source);
  await eachLetter(target, source, async (message, from) => {
    if (messageId !== undefined && message.MessageId !== messageId) return "keep";
    if (moved === 0) await writeAudit("record-redrive", { queue: source, messageId });
    if (to === undefined) await relayAgain(target, source, batchOf(message));
    else await send(target, message, to);
    await remove(target, message, from);
    moved += 1;
    return "gone";
  });
  if (messageId !== undefined && moved === 0) throw notFound(source, messageId);
  return moved;
}

/** Deletes one dead letter. The audit log first records it with the reason. */
export async function discard(
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

function batchOf({ MessageId, Body = "" }: Message): StreamBatch {
  const batch = StreamBatch.safeParse(JSON.parse(Body));
  if (batch.success) return batch.data;
  throw new Error(`The message ${MessageId} is not Lambda's record of a stream batch.`);
}
