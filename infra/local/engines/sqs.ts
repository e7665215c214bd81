import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { Worker } from "node:worker_threads";
import type { TimedPart } from "../clock.ts";
import type { Clock } from "../interfaces.ts";

export interface SqsOptions {
  /** Where the messages are kept between runs. */
  directory: string;
  clock: Pick<Clock, "sharedOffset">;
  onFailure?(error: Error): void;
}

export interface QueueDeclaration {
  name: string;
  url: string;
  arn: string;
  /** SQS's own attributes; the engine's defaults stand for those left out. */
  attributes: Record<string, string>;
}

/** What the thread does on demand, beside serving HTTP. */
export interface SqsOperation {
  declareQueue(queue: QueueDeclaration): void;
  readyCount(name: string): number;
  nextDueAt(): number | undefined;
  wake(): void;
  stop(): void;
}

export interface SqsWorkerData {
  directory: string;
  port: number;
  sharedOffset: SharedArrayBuffer;
}

export interface SqsRequest {
  id: number;
  operation: keyof SqsOperation;
  args: unknown[];
}

export interface SqsReply {
  id: number;
  result?: unknown;
  error?: string;
}

export interface SqsEngine extends TimedPart {
  endpoint: string;
  /** Makes a queue, or brings one that exists to these attributes. Its messages stay. */
  declareQueue(queue: QueueDeclaration): Promise<void>;
  /** Messages of a queue that a consumer could take now. */
  readyCount(name: string): Promise<number>;
  stop(): Promise<void>;
}

/** Starts the queue engine on a free loopback port. Whatever it has accepted survives `kill -9`. */
export async function startSqs({ directory, clock, onFailure }: SqsOptions): Promise<SqsEngine> {
  mkdirSync(directory, { recursive: true });
  const workerData: SqsWorkerData = { directory, port: 0, sharedOffset: clock.sharedOffset };
  const worker = new Worker(new URL("./sqs-worker.ts", import.meta.url), { workerData, execArgv: [] });
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  let stopped = false;

  const [{ port }]: [{ port: number }] = (await once(worker, "message")) as [{ port: number }];
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
  });

  const call = async <Result>(operation: keyof SqsOperation, ...args: unknown[]): Promise<Result> => {
    lastId += 1;
    const answer = Promise.withResolvers<unknown>();
    waiting.set(lastId, answer);
    const request: SqsRequest = { id: lastId, operation, args };
    worker.postMessage(request);
    return (await answer.promise) as Result;
  };
  return {
    endpoint: `http://127.0.0.1:${port}`,
    declareQueue: (queue) => call("declareQueue", queue),
    readyCount: (name) => call("readyCount", name),
    nextDueAt: () => call("nextDueAt"),
    wake: () => call("wake"),
    stop: async () => {
      if (stopped) return;
      stopped = true;
      const exit = once(worker, "exit");
      await call("stop");
      await exit;
    },
  };
}
