import { DeleteMessageCommand, type Message, SendMessageCommand } from "@aws-sdk/client-sqs";
import { StreamBatch } from "./letter.ts";
import { eachLetter } from "./read-letters.ts";
import { relayAgain } from "./relay-again.ts";
import { type Source, streamSources, type Target, urlOf } from "./target.ts";
import type { WriteDown } from "./write-down.ts";

/**
 * Puts what a queue gave up back into it, all of it or one message; what a consumer of the stream gave up is brought to it again. Each is handed over first
 * and deleted then, so that none is lost where this ends in between; one that is handed over twice is known as such by its consumer. Who does it is
 * recorded before the first one. Answers how many were put back.
 *
 * @throws Error where one could not be handed over: it stays, and those after it
 */
export async function redrive(
  target: Target,
  source: Source,
  { messageId, writeDown }: { readonly messageId?: string | undefined; readonly writeDown: WriteDown },
): Promise<number> {
  const isWanted = (message: Message) => messageId === undefined || message.MessageId === messageId;
  let moved = 0;
  const to = streamSources.has(source) ? undefined : await urlOf(target, source);
  await eachLetter(target, source, async (message, from) => {
    if (!isWanted(message)) return "keep";
    if (moved === 0) await writeDown("record-redrive", { queue: source, messageId });
    if (to === undefined) await relayAgain(target, source, batchOf(message));
    else await send(target, message, to);
    await remove(target, message, from);
    moved += 1;
    return "gone";
  });
  if (messageId !== undefined && moved === 0) throw new Error(`${source} has no dead letter ${messageId}.`);
  return moved;
}

export async function remove({ sqs }: Target, { ReceiptHandle }: Message, QueueUrl: string): Promise<void> {
  await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
}

async function send({ sqs }: Target, { Body, Attributes }: Message, QueueUrl: string): Promise<void> {
  const groupId = Attributes?.MessageGroupId;
  await sqs.send(
    new SendMessageCommand({
      QueueUrl,
      MessageBody: Body,
      ...(groupId !== undefined && { MessageGroupId: groupId }),
    }),
  );
}

function batchOf({ MessageId, Body = "" }: Message): StreamBatch {
  const batch = StreamBatch.safeParse(JSON.parse(Body));
  if (batch.success) return batch.data;
  throw new Error(`The message ${MessageId} is none of Lambda's about a stream.`);
}
