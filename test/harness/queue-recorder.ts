import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A message as a queue was given it. */
export interface SentMessage {
  readonly queue: string;
  // biome-ignore lint/suspicious/noExplicitAny: a JSON body, which each test checks against what it expects.
  readonly body: any;
  readonly groupId?: string;
  readonly delaySeconds?: number;
}

export interface QueueRecorder {
  readonly sent: SentMessage[];
  /** The messages of a queue since the last time they were taken. */
  take(queue: string): SentMessage[];
  /** How many requests have been made so far. */
  requests(): number;
  /** Refuses so many messages from now on, each alone, as SQS does in a batch. */
  refuse(count: number): void;
  stop(): Promise<void>;
}

interface Entry {
  readonly Id: string;
  readonly MessageBody: string;
  readonly MessageGroupId?: string;
  readonly DelaySeconds?: number;
}

/**
 * An SQS that takes messages, in the protocol of the real one, and never hands them out: so that a test can play the consumer, whatever the
 * delay. Points this process's queue URLs at it.
 */
export async function startQueueRecorder(): Promise<QueueRecorder> {
  const sent: SentMessage[] = [];
  let refusals = 0;
  let requests = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      requests += 1;
      const { QueueUrl, Entries } = JSON.parse(Buffer.concat(chunks).toString()) as {
        QueueUrl: string;
        Entries: Entry[];
      };
      const Successful: object[] = [];
      const Failed: object[] = [];
      for (const { Id, MessageBody, MessageGroupId, DelaySeconds } of Entries) {
        if (refusals > 0) {
          refusals -= 1;
          Failed.push({ Id, SenderFault: false, Code: "InternalError", Message: "Injected." });
          continue;
        }
        const MD5OfMessageBody = createHash("md5").update(MessageBody).digest("hex");
        Successful.push({ Id, MessageId: `${sent.length}`, MD5OfMessageBody });
        sent.push({
          queue: QueueUrl.split("/").at(-1) ?? "",
          body: JSON.parse(MessageBody),
          ...(MessageGroupId !== undefined && { groupId: MessageGroupId }),
          ...(DelaySeconds !== undefined && { delaySeconds: DelaySeconds }),
        });
      }
      response.setHeader("content-type", "application/x-amz-json-1.0");
      response.end(JSON.stringify({ Successful, Failed }));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = (queue: string) => `${endpoint}/000000000000/${queue}`;
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_SQS: endpoint,
    CALLBACK_QUEUE_URL: url("callbacks"),
    SLOW_ENDPOINT_QUEUE_URL: url("slow"),
    CALLBACK_DEAD_LETTERS_URL: url("dead-letters"),
    WEBHOOK_QUEUE_URL: url("events"),
    ALERT_QUEUE_URL: url("alerts"),
    ALERT_DEAD_LETTERS_URL: url("given-up"),
  });
  return {
    sent,
    requests: () => requests,
    take: (queue) => {
      const taken = sent.filter((message) => message.queue === queue);
      for (const message of taken) sent.splice(sent.indexOf(message), 1);
      return taken;
    },
    refuse: (count) => {
      refusals = count;
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
