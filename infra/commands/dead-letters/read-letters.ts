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
  /** Messages that another reader holds at the moment. */
  readonly inFlight: number;
}

/** Counts each queue's dead letters, approximately, as SQS does. */
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

/** Reads a queue's dead letters up to the limit, without removing them. */
export async function showLetters(target: Target, source: Source, limit: number): Promise<Letter[]> {
  const letters: Letter[] = [];
  await eachLetter(target, source, async (message) => {
    letters.push(readLetter(message));
    return letters.length < limit ? "keep" : "stop";
  });
  return letters;
}

/** `gone`: deleted. `keep`: stays in the queue. `stop`: stays, and the loop ends. */
type Verdict = "gone" | "keep" | "stop";

/** Longer than handling ten messages takes, so that none is visited twice. */
const lookSeconds = 120;

/** Visits each dead letter of a queue once, then makes the remaining ones visible again. */
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
      // If this fails, the message becomes visible after its timeout.
      await target.sqs.send(release).catch(() => undefined);
    }
  }
}
