/**
 * The queue engine, with the virtual clock as `Date`. Its package exports a server of SQS, SNS and
 * S3 on Fastify: only its parts for SQS are loaded, for a server of Node's.
 */

import { readdirSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { basename } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { parentPort, workerData } from "node:worker_threads";
import type { BuildAppOptions } from "fauxqs";
import { leaveOutUndici } from "../lean-http.ts";
import { moveDate } from "../moved-date.ts";
import type { QueueDeclaration, SqsOperations, SqsReply, SqsRequest, SqsWorkerData } from "./sqs.ts";

type Stores = NonNullable<BuildAppOptions["stores"]>;
type Store = Stores["sqsStore"];
type Queue = NonNullable<ReturnType<Store["getQueueByName"]>>;

interface Router {
  register(action: string, handler: unknown): void;
  handle(call: Pick<IncomingMessage, "headers"> & { body: unknown }, reply: object): Promise<object>;
}

interface Persistence {
  db: DatabaseSync;
  transaction(run: () => void): void;
  deleteMessage(messageId: string): void;
  updateMessageReady(messageId: string): void;
  loadSqsQueues(store: Store): void;
  close(): void;
}

const { directory, sharedOffset, seeded }: SqsWorkerData = workerData;
leaveOutUndici();
const { readBody, startLoopbackServer } = await import("../loopback-server.ts");
moveDate(sharedOffset);
if (seeded !== undefined) (await import(seeded.module)).seedThread(seeded.seed);

const inside = (path: string): string => new URL(path, import.meta.resolve("fauxqs")).href;
const { SqsStore, SqsQueue }: { SqsStore: new () => Store; SqsQueue: { prototype: Queue } } = await import(
  inside("sqs/sqsStore.js")
);
const { PersistenceManager }: { PersistenceManager: new (directory: string) => Persistence } = await import(
  inside("persistence.js")
);

/** Finds queues by name, because account and region in the template's ARNs are not the engine's. */
class NamedStore extends SqsStore {
  override getQueue(url: string): Queue | undefined {
    return this.getQueueByName(url.split("/").at(-1) ?? "");
  }

  override getQueueByArn(arn: string): Queue | undefined {
    return this.getQueueByName(arn.split(":").at(-1) ?? "");
  }
}

const persistence = new PersistenceManager(directory);
// Data survives a killed process without waiting for the disk.
persistence.db.exec("PRAGMA synchronous = NORMAL");
persistence.db.exec("CREATE TABLE IF NOT EXISTS kept_invisible (receipt_handle TEXT PRIMARY KEY)");
const keepInvisible = persistence.db.prepare("INSERT OR IGNORE INTO kept_invisible VALUES (?)");
const makeReady = persistence.db.prepare(
  "UPDATE sqs_messages SET receipt_handle = NULL, visibility_deadline = NULL WHERE message_id = ?",
);

// The engine's own statement loses the receive count, which its table rejects.
persistence.updateMessageReady = (messageId) => void makeReady.run(messageId);
const transaction = persistence.transaction.bind(persistence);
persistence.transaction = (run) => (persistence.db.isTransaction ? run() : transaction(run));

const { dequeue, changeVisibility, enqueue } = SqsQueue.prototype;

/** All of a call are one transaction, which ends before it is answered or one of them is taken. */
SqsQueue.prototype.enqueue = function (this: Queue, message) {
  if (!persistence.db.isTransaction) {
    persistence.db.exec("BEGIN");
    queueMicrotask(() => persistence.db.isTransaction && persistence.db.exec("COMMIT"));
  }
  enqueue.call(this, message);
  poll();
};

/** One transaction for a move to the dead-letter queue: the engine deletes, then inserts. */
SqsQueue.prototype.dequeue = function (this: Queue, ...args) {
  let messages: ReturnType<Queue["dequeue"]> = [];
  discardExpired(this);
  persistence.transaction(() => {
    messages = dequeue.apply(this, args);
  });
  return messages;
};

let polling: NodeJS.Timeout | undefined;

/** The engine polls each queue that is waited for, for ever: this ends once nothing falls due. */
function poll(): void {
  polling ??= setInterval(() => {
    store.processAllTimers();
    if (operations.nextDueAt() !== undefined) return;
    clearInterval(polling);
    polling = undefined;
  }, 20).unref();
}
Reflect.set(SqsQueue.prototype, "startPollTimerIfNeeded", poll);

/** Keeps a requested redelivery time over a restart; see `releaseUnfinished`. */
SqsQueue.prototype.changeVisibility = function (this: Queue, receiptHandle, timeoutSeconds) {
  if (timeoutSeconds > 0) keepInvisible.run(receiptHandle);
  changeVisibility.call(this, receiptHandle, timeoutSeconds);
};

/** The engine keeps messages forever; SQS deletes them after the retention period. */
function discardExpired(queue: Queue): void {
  const oldest = Date.now() - Number(queue.attributes.MessageRetentionPeriod) * 1000;
  const expired = queue.messages.filter((message) => message.sentTimestamp <= oldest);
  if (expired.length === 0) return;
  queue.messages = queue.messages.filter((message) => message.sentTimestamp > oldest);
  for (const { messageId } of expired) persistence.deleteMessage(messageId);
}

/** Releases messages that consumers of an earlier run received but did not finish. */
function releaseUnfinished(queue: Queue): void {
  const kept = persistence.db.prepare("SELECT 1 FROM kept_invisible WHERE receipt_handle = ?");
  for (const receiptHandle of [...queue.inflightMessages.keys()]) {
    if (kept.get(receiptHandle) === undefined) queue.changeVisibility(receiptHandle, 0);
  }
}

const store = new NamedStore();
persistence.loadSqsQueues(store);
Reflect.set(store, "persistence", persistence);
for (const queue of store.allQueues()) {
  Reflect.set(queue, "persistence", persistence);
  releaseUnfinished(queue);
}
persistence.db.exec(
  "DELETE FROM kept_invisible WHERE receipt_handle NOT IN (SELECT receipt_handle FROM sqs_messages WHERE receipt_handle IS NOT NULL)",
);

const { SqsRouter }: { SqsRouter: new (store: Store) => Router } = await import(inside("sqs/sqsRouter.js"));
const { sendMessage } = await import(inside("sqs/actions/sendMessage.js"));
const router = new SqsRouter(store);
for (const file of readdirSync(new URL(inside("sqs/actions/")))) {
  if (!file.endsWith(".js")) continue;
  const name = basename(file, ".js");
  const { [name]: handler } = await import(inside(`sqs/actions/${file}`));
  router.register(`${name.charAt(0).toUpperCase()}${name.slice(1)}`, handler);
}

/** The engine's own limit: SQS has 1 MiB for a message or a batch. */
const mostBodyBytes = 11 * 1_048_576;

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = JSON.parse(String(await readBody(request, mostBodyBytes)));
  const reply = {
    status: (statusCode: number) => Object.assign(response, { statusCode }),
    header: (name: string, value: string) => response.setHeader(name, value),
  };
  response.end(JSON.stringify(await router.handle({ headers: request.headers, body }, reply)));
}

const server = await startLoopbackServer((request, response) => {
  const fail = (error: unknown) => response.writeHead(500).end(JSON.stringify({ message: String(error) }));
  answer(request, response).catch(fail);
});

const operations: { [Name in keyof SqsOperations]: (...args: Parameters<SqsOperations[Name]>) => unknown } = {
  declareQueue: ({ name, url, arn, attributes }: QueueDeclaration) => {
    const known = store.getQueueByName(name);
    if (known === undefined) {
      store.createQueue(name, url, arn, attributes);
      return;
    }
    Object.assign(known, { url, arn });
    known.setAttributes({ RedrivePolicy: "", ...attributes });
  },
  send: async (name, { body, attributes }) => {
    const sending = { QueueUrl: findQueue(name).url, MessageBody: body, MessageAttributes: attributes };
    await sendMessage(sending, store);
  },
  receive: async (name, most, waitSeconds) => {
    const queue = findQueue(name);
    let taken = queue.dequeue(most, undefined, (arn) => store.getQueueByArn(arn));
    if (taken.length === 0 && waitSeconds > 0) {
      await queue.waitForMessages(waitSeconds);
      taken = queue.dequeue(most, undefined, (arn) => store.getQueueByArn(arn));
    }
    return taken.flatMap(({ ReceiptHandle }) => {
      const message = queue.inflightMessages.get(ReceiptHandle)?.message;
      return message === undefined ? [] : [{ ...message, receiptHandle: ReceiptHandle }];
    });
  },
  deleteMessages: (name, receiptHandles) => {
    persistence.transaction(() => {
      for (const receiptHandle of receiptHandles) findQueue(name).deleteMessage(receiptHandle);
    });
  },
  cancelReceives: () => store.shutdown(),
  readyCount: (name) => countReady(findQueue(name)),
  readyQueues: () => [...store.allQueues()].filter((queue) => countReady(queue) > 0).map(({ name }) => name),
  nextDueAt: () => {
    const due = [...store.allQueues()].flatMap((queue) => {
      const { delayed, inflight } = queue.inspectMessages();
      return [...delayed.map((one) => one.delayUntil), ...inflight.map((one) => one.visibilityDeadline)];
    });
    const known = due.filter((at) => at !== undefined);
    return known.length === 0 ? undefined : known.reduce((least, at) => Math.min(least, at));
  },
  wake: () => store.processAllTimers(),
  stop: async () => {
    store.shutdown();
    await server.stop();
    persistence.close();
  },
};

function countReady(queue: Queue): number {
  queue.processTimers();
  return Number(queue.getAttribute("ApproximateNumberOfMessages"));
}

function findQueue(name: string): Queue {
  const queue = store.getQueueByName(name);
  if (queue === undefined) throw new Error(`There is no queue ${name}`);
  return queue;
}

parentPort?.on("message", async ({ id, operation, args }: SqsRequest) => {
  const run: (...args: never[]) => unknown = operations[operation];
  let reply: SqsReply;
  try {
    reply = { id, result: await run(...(args as never[])) };
  } catch (error) {
    reply = { id, error: error instanceof Error ? error.message : String(error) };
  }
  parentPort?.postMessage(reply);
  if (operation === "stop") parentPort?.close();
});

parentPort?.postMessage({ url: server.url });
