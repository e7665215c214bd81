import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { Clock, SeededThread } from "../interfaces.ts";

export interface SqsOptions {
  directory: string;
  clock: Pick<Clock, "sharedOffset">;
  onFailure?(error: Error): void;
  /** Makes the engine's ids repeatable. */
  seeded?: SeededThread | undefined;
}

export interface QueueDeclaration {
  name: string;
  url: string;
  arn: string;
  /** SQS attributes. The engine's defaults apply to missing ones. */
  attributes: Record<string, string>;
}

interface MessageAttribute {
  DataType: string;
  StringValue?: string;
  BinaryValue?: string;
}

interface OutgoingMessage {
  body: string;
  attributes?: Record<string, MessageAttribute>;
}

export interface ReceivedMessage {
  messageId: string;
  receiptHandle: string;
  body: string;
  md5OfBody: string;
  sentTimestamp: number;
  approximateFirstReceiveTimestamp: number;
  approximateReceiveCount: number;
  messageAttributes: Record<string, MessageAttribute>;
}

export interface SqsOperations {
  /** Creates a queue or updates its attributes. Messages stay. */
  declareQueue(queue: QueueDeclaration): Promise<void>;
  /**
   * Resolves when the message is on disk. Throws SQS's errors, such as for a body over the limit.
   */
  send(name: string, message: OutgoingMessage): Promise<void>;
  /** Long polling. Returns messages before it answers a later `readyCount`: none is missed. */
  receive(name: string, most: number, waitSeconds: number): Promise<ReceivedMessage[]>;
  deleteMessages(name: string, receiptHandles: string[]): Promise<void>;
  cancelReceives(): Promise<void>;
  readyCount(name: string): Promise<number>;
  /** Names of the queues with messages that can be received. */
  readyQueues(): Promise<string[]>;
  /** When the next message becomes visible, in virtual milliseconds. */
  nextDueAt(): Promise<number | undefined>;
  wake(): Promise<void>;
  stop(): Promise<void>;
}

export interface SqsEngine extends SqsOperations {
  endpoint: string;
}

export interface SqsWorkerData {
  directory: string;
  sharedOffset: SharedArrayBuffer;
  seeded: SeededThread | undefined;
}

export interface SqsRequest {
  id: number;
  operation: keyof SqsOperations;
  args: unknown[];
}

export interface SqsReply {
  id: number;
  result?: unknown;
  error?: string;
}

const operations = [
  ...(["declareQueue", "send", "receive", "deleteMessages", "cancelReceives"] as const),
  ...(["readyCount", "readyQueues", "nextDueAt", "wake"] as const),
];

/** Starts the queue engine on a free loopback port. Accepted messages survive `kill -9`. */
export async function startSqs({ directory, clock, onFailure, seeded }: SqsOptions): Promise<SqsEngine> {
  mkdirSync(directory, { recursive: true });
  const workerData: SqsWorkerData = { directory, sharedOffset: clock.sharedOffset, seeded };
  const worker = new Worker(new URL("./sqs-worker.ts", import.meta.url), { workerData, execArgv: [] });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  let stopped = false;

  const [{ url }]: [{ url: string }] = (await once(worker, "message")) as [{ url: string }];
  worker.on("message", ({ id, result, error }: SqsReply) => {
    if (error === undefined) waiting.get(id)?.resolve(result);
    else waiting.get(id)?.reject(new Error(error));
    waiting.delete(id);
  });
  worker.on("error", (error) => (onFailure ?? console.error)(error));
  worker.on("exit", () => {
    for (const { reject } of waiting.values()) reject(new Error("The queue engine has ended"));
    waiting.clear();
    if (!stopped) onFailure?.(new Error("The queue engine ended by itself"));
    stopped = true;
  });

  const call =
    (operation: keyof SqsOperations) =>
    async (...args: unknown[]): Promise<unknown> => {
      if (stopped && operation !== "stop") throw new Error("The queue engine has ended");
      lastId += 1;
      const answer = Promise.withResolvers<unknown>();
      waiting.set(lastId, answer);
      worker.postMessage({ id: lastId, operation, args } satisfies SqsRequest);
      return answer.promise;
    };
  const calls = Object.fromEntries(operations.map((name) => [name, call(name)])) as unknown as SqsOperations;
  return {
    ...calls,
    endpoint: url,
    stop: async () => {
      if (stopped) return;
      stopped = true;
      const exit = once(worker, "exit");
      await call("stop")();
      await exit;
    },
  };
}
