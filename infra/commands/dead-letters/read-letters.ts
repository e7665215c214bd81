import {
  ChangeMessageVisibilityCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
} from "@aws-sdk/client-sqs";
import { type Letter, readLetter } from "./letter.ts";
import { deadLettersOf, type Source, sources, type Target } from "./target.ts";

export interface Count {
  readonly queue: Source;
  readonly messages: number;
  /** Taken by somebody just now, who may put them back or not. */
  readonly inFlight: number;
}

/** How many messages each queue has given up, as SQS counts them: approximately. */
export async function countLetters(target: Target): Promise<Count[]> {
  return Promise.all(
    sources.map(async (queue) => {
      const { Attributes = {} } = await target.sqs.send(
        new GetQueueAttributesCommand({
          QueueUrl: await deadLettersOf(target, queue),
          AttributeNames: ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"],
        }),
      );
      return {
        queue,
        messages: Number(Attributes.ApproximateNumberOfMessages ?? 0),
        inFlight: Number(Attributes.ApproximateNumberOfMessagesNotVisible ?? 0),
      };
    }),
  );
}

/** The messages that a queue has given up, some of them where there are more. They stay where they are. */
export async function showLetters(target: Target, source: Source, limit: number): Promise<Letter[]> {
  const letters: Letter[] = [];
  await eachLetter(target, source, async (message) => {
    letters.push(readLetter(message));
    return letters.length < limit ? "keep" : "stop";
  });
  return letters;
}

/** `gone`: it is deleted. `keep`: it stays. `stop`: it stays, and no more are wanted. */
export type Verdict = "gone" | "keep" | "stop";

/** Longer than anybody looks at ten of them: else one would be seen twice. */
const lookSeconds = 120;

/** Goes through a queue's dead letters once; those that stay can be taken by others again when it ends, however it ends. */
export async function eachLetter(
  target: Target,
  source: Source,
  look: (message: Message, queueUrl: string) => Promise<Verdict>,
): Promise<void> {
  const QueueUrl = await deadLettersOf(target, source);
  const taken = new Set<string | undefined>();
  try {
    for (;;) {
      const { Messages = [] } = await target.sqs.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: 10,
          WaitTimeSeconds: 1,
          VisibilityTimeout: lookSeconds,
          MessageSystemAttributeNames: ["All"],
          MessageAttributeNames: ["All"],
        }),
      );
      if (Messages.length === 0) return;
      for (const { ReceiptHandle } of Messages) taken.add(ReceiptHandle);
      for (const message of Messages) {
        const verdict = await look(message, QueueUrl);
        if (verdict === "gone") taken.delete(message.ReceiptHandle);
        if (verdict === "stop") return;
      }
    }
  } finally {
    for (const ReceiptHandle of taken) {
      const release = new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 });
      // It comes back by itself where this fails.
      await target.sqs.send(release).catch(() => undefined);
    }
  }
}
