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
  /** Received by somebody just now. */
  readonly inFlight: number;
}

/** The number of each queue's dead letters, approximately, as SQS counts them. */
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

/** A queue's dead letters, up to the limit. They stay where they are. */
export async function showLetters(target: Target, source: Source, limit: number): Promise<Letter[]> {
  const letters: Letter[] = [];
  await eachLetter(target, source, async (message) => {
    letters.push(readLetter(message));
    return letters.length < limit ? "keep" : "stop";
  });
  return letters;
}

/** `gone`: it is deleted. `keep`: it stays. `stop`: it stays, and the loop ends. */
type Verdict = "gone" | "keep" | "stop";

/** Longer than it takes to handle ten messages: else one would come twice. */
const lookSeconds = 120;

/** Visits each dead letter of a queue once. Those that stay are visible to others again at the end, however it ends. */
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
      // If this fails, the message comes back by itself.
      await target.sqs.send(release).catch(() => undefined);
    }
  }
}
