import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { listen } from "./listen.ts";

/** A message as a queue was given it. */
export interface SentMessage {
  readonly queue: string;
  // biome-ignore lint/suspicious/noExplicitAny: JSON, which each test checks.
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
  /** Makes the next `count` messages fail, each alone, as SQS does in a batch. */
  refuse(count: number): void;
  stop(): void;
}

interface Entry {
  readonly Id: string;
  readonly MessageBody: string;
  readonly MessageGroupId?: string;
  readonly DelaySeconds?: number;
}

/** What the server does with the entries of a batch; one recorder at a time. */
let record: ((queue: string, entries: readonly Entry[]) => object) | undefined;
/** One server a process: the platform's SQS client keeps the first address that it found. */
let server: Promise<string> | undefined;

/** An SQS that never delivers: the test is the consumer. Sets this process's queue URLs. */
export async function startQueueRecorder(): Promise<QueueRecorder> {
  const sent: SentMessage[] = [];
  let refusals = 0;
  let requests = 0;
  record = (queue, entries) => {
    requests += 1;
    const Successful: object[] = [];
    const Failed: object[] = [];
    for (const { Id, MessageBody, MessageGroupId, DelaySeconds } of entries) {
      if (refusals > 0) {
        refusals -= 1;
        Failed.push({ Id, SenderFault: false, Code: "InternalError", Message: "Injected." });
        continue;
      }
      const MD5OfMessageBody = createHash("md5").update(MessageBody).digest("hex");
      Successful.push({ Id, MessageId: `${sent.length}`, MD5OfMessageBody });
      sent.push({
        queue,
        body: JSON.parse(MessageBody),
        ...(MessageGroupId !== undefined && { groupId: MessageGroupId }),
        ...(DelaySeconds !== undefined && { delaySeconds: DelaySeconds }),
      });
    }
    return { Successful, Failed };
  };
  server ??= startServer();
  const endpoint = await server;
  const url = (queue: string) => `${endpoint}/000000000000/${queue}`;
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_SQS: endpoint,
    CALLBACK_QUEUE_URL: url("callbacks"),
    SLOW_ENDPOINT_QUEUE_URL: url("slow"),
    CALLBACK_DEAD_LETTERS_URL: url("dead-letters"),
    PROCESSOR_QUEUE_URL: url("processor"),
    FANOUT_QUEUE_URL: url("events"),
    JOBS_QUEUE_URL: url("jobs"),
    ALERT_QUEUE_URL: url("alerts"),
    ALERT_DEAD_LETTERS_URL: url("given-up"),
    FILES_QUEUE_URL: url("files"),
    EVIDENCE_QUEUE_URL: url("evidence"),
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
    stop: () => {
      record = undefined;
    },
  };
}

async function startServer(): Promise<string> {
  const server = createServer(async (request, response) => {
    const { QueueUrl, Entries } = (await json(request)) as { QueueUrl: string; Entries: Entry[] };
    const answer = record?.(QueueUrl.split("/").at(-1) ?? "", Entries);
    response.writeHead(answer ? 200 : 500, { "content-type": "application/x-amz-json-1.0" });
    response.end(JSON.stringify(answer ?? {}));
  });
  return listen(server);
}
