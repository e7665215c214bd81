import { setTimeout as delay } from "node:timers/promises";
import type { ReceivedMessage, SqsEngine } from "../engines/sqs.ts";
import type { Assembly, FunctionInvoker, Trace } from "../interfaces.ts";
import type { Activity } from "./activity.ts";
import { invokeWithRoom } from "./invoke-with-room.ts";
import { itemFailures } from "./item-failures.ts";
import type { SourceProperties } from "./source-properties.ts";

export interface QueueSourceOptions {
  properties: SourceProperties;
  assembly: Assembly;
  engine: SqsEngine;
  invoker: FunctionInvoker;
  activity: Activity;
  trace: Trace;
}

const LONGEST_RECEIVE = 10;
const WAIT_SECONDS = 20;
/** Batches that are taken at once, as many as this machine has use for; see `#room`. */
const EAGER_BATCHES = 2;
const GROW_AFTER_MS = 100;

/**
 * Feeds a function from a queue. What it handled is deleted; what it did not comes again when the queue's visibility
 * timeout has passed, or goes to the dead-letter queue by the queue's own redrive policy.
 */
export class QueueSource {
  readonly #options: QueueSourceOptions;
  readonly #queue: string;
  readonly #running = new Set<Promise<void>>();
  #stopping = false;
  #loop: Promise<void> = Promise.resolve();

  constructor(options: QueueSourceOptions) {
    this.#options = options;
    this.#queue = options.properties.sourceArn.split(":").at(-1) ?? "";
  }

  start(): void {
    const { activity, engine } = this.#options;
    activity.addPending(`queue ${this.#queue}`, async () => (await engine.readyCount(this.#queue)) > 0);
    this.#loop = this.#run().catch((error) => this.#report(error));
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#options.engine.cancelReceives();
    await this.#loop;
    await Promise.all(this.#running);
  }

  /** While everything ends, an engine that is gone is no news. */
  #report(error: unknown): void {
    if (!this.#stopping) console.error(error);
  }

  async #run(): Promise<void> {
    const { properties, engine, activity } = this.#options;
    while (!this.#stopping) {
      await this.#room();
      const first = await engine.receive(
        this.#queue,
        Math.min(properties.batchSize, LONGEST_RECEIVE),
        WAIT_SECONDS,
      );
      if (first.length === 0) continue;
      const end = activity.begin(`queue ${this.#queue}`);
      const batch = await this.#gather(first);
      const handled = this.#deliver(batch)
        .catch((error) => this.#report(error))
        .finally(() => {
          end();
          this.#running.delete(handled);
        });
      this.#running.add(handled);
    }
  }

  /**
   * Waits until a further batch may be taken. Beyond the first few, one is taken when those that run have not ended within a moment, as where they
   * wait for others: messages that come faster than they are handled thus make full batches, and not many small ones that want a worker each.
   */
  async #room(): Promise<void> {
    if (this.#running.size >= this.#options.properties.maximumConcurrency) await Promise.race(this.#running);
    else if (this.#running.size >= EAGER_BATCHES) {
      const patience = new AbortController();
      const waited = delay(GROW_AFTER_MS, undefined, patience).catch(() => undefined);
      await Promise.race([...this.#running, waited]);
      patience.abort();
    }
  }

  /** Waits for a full batch as long as the batching window allows. */
  async #gather(first: ReceivedMessage[]): Promise<ReceivedMessage[]> {
    const { properties, engine } = this.#options;
    const batch = [...first];
    const deadline = performance.now() + properties.batchingWindowSeconds * 1000;
    while (batch.length < properties.batchSize && !this.#stopping) {
      const leftSeconds = Math.max(0, deadline - performance.now()) / 1000;
      const most = Math.min(properties.batchSize - batch.length, LONGEST_RECEIVE);
      const more = await engine.receive(this.#queue, most, leftSeconds);
      batch.push(...more);
      if (more.length === 0 && leftSeconds === 0) break;
    }
    return batch;
  }

  async #deliver(batch: ReceivedMessage[]): Promise<void> {
    const { properties, engine, invoker, trace, assembly } = this.#options;
    const records = batch.map((message) => toLambda(message, properties.sourceArn, assembly.region));
    const wanted = records.filter((record) => properties.wants(withParsedBody(record)));
    const done = new Set(batch.map((message) => message.receiptHandle));
    if (wanted.length > 0) {
      const result = await invokeWithRoom(invoker, properties.functionArn, { Records: wanted });
      const ids = wanted.map((record) => record.messageId);
      const failed = itemFailures(result, properties.reportsItemFailures, ids);
      for (const record of wanted) {
        if (failed === "all" || failed.has(record.messageId)) done.delete(record.receiptHandle);
      }
      const failures = failed === "all" ? wanted.length : failed.size;
      trace.record({
        kind: "queue-message",
        name: this.#queue,
        detail: { batchSize: wanted.length, failures },
      });
    }
    if (done.size > 0) await engine.deleteMessages(this.#queue, [...done]);
  }
}

/** A message in the shape that Lambda hands over. */
function toLambda(message: ReceivedMessage, eventSourceARN: string, awsRegion: string) {
  const attributes = Object.entries(message.attributes).map(
    ([name, { DataType, StringValue, BinaryValue }]) => [
      name,
      {
        dataType: DataType,
        ...(StringValue !== undefined && { stringValue: StringValue }),
        ...(BinaryValue !== undefined && { binaryValue: BinaryValue }),
        stringListValues: [],
        binaryListValues: [],
      },
    ],
  );
  return {
    messageId: message.messageId,
    receiptHandle: message.receiptHandle,
    body: message.body,
    attributes: {
      ApproximateReceiveCount: String(message.receiveCount),
      SentTimestamp: String(message.sentAt),
      SenderId: "AIDAIENQZJOLO23YVJ4VO",
      ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
    },
    messageAttributes: Object.fromEntries(attributes),
    md5OfBody: message.md5OfBody,
    eventSource: "aws:sqs",
    eventSourceARN,
    awsRegion,
  };
}

/** Filters look into a body that is JSON, and compare any other as text. */
function withParsedBody(record: { body: string }): unknown {
  try {
    return { ...record, body: JSON.parse(record.body) };
  } catch {
    return record;
  }
}
