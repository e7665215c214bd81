import { setTimeout as delay } from "node:timers/promises";
import type { ReceivedMessage } from "../engines/sqs.ts";
import { type EventParts, invokeWhenAvailable, itemFailures } from "./invocations.ts";
import type { SourceProperties } from "./source-properties.ts";

type Options = EventParts & { properties: SourceProperties };

const largestReceive = 10;
const waitSeconds = 20;
const usualBatches = 2;
const growAfterMs = 100;

/** Feeds a function from a queue. Unhandled messages return after the visibility timeout. */
export class QueueSource {
  readonly #options: Options;
  readonly queue: string;
  readonly #running = new Set<Promise<void>>();
  #stopping = false;
  #loop: Promise<void> = Promise.resolve();

  constructor(options: Options) {
    this.#options = options;
    this.queue = options.properties.sourceArn.split(":").at(-1) ?? "";
  }

  start(): void {
    const { activity, engine } = this.#options;
    activity.addPending(`queue ${this.queue}`, async () => (await engine.readyCount(this.queue)) > 0);
    this.#loop = this.#run().catch((error) => this.#report(error));
  }

  /** Delivers a batch of what is there now, instead of `start`. */
  async step(): Promise<boolean> {
    const first = await this.#receive(0);
    if (first.length > 0) await this.#deliver(await this.#fill(first));
    return first.length > 0;
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#options.engine.cancelReceives();
    await this.#loop;
    await Promise.all(this.#running);
  }

  /** During a stop, the engine may end first. */
  #report(error: unknown): void {
    if (!this.#stopping) console.error(error);
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      await this.#room();
      const first = await this.#receive(0, waitSeconds);
      if (first.length === 0) continue;
      const end = this.#options.activity.begin(`queue ${this.queue}`);
      const handled = this.#deliver(await this.#fill(first))
        .catch((error) => this.#report(error))
        .finally(() => {
          end();
          this.#running.delete(handled);
        });
      this.#running.add(handled);
    }
  }

  /**
   * Above the usual number, it waits a moment, so that fast messages form full batches instead of
   * many small ones that need a worker each.
   */
  async #room(): Promise<void> {
    if (this.#running.size >= this.#options.properties.maximumConcurrency) await Promise.race(this.#running);
    else if (this.#running.size >= usualBatches) {
      const timeout = new AbortController();
      const waited = delay(growAfterMs, undefined, timeout).catch(() => undefined);
      await Promise.race([...this.#running, waited]);
      timeout.abort();
    }
  }

  /** At most as many as one receive gives. */
  #receive(taken: number, seconds = 0): Promise<ReceivedMessage[]> {
    const { engine, properties } = this.#options;
    return engine.receive(this.queue, Math.min(properties.batchSize - taken, largestReceive), seconds);
  }

  async #fill(batch: ReceivedMessage[]): Promise<ReceivedMessage[]> {
    const { batchSize } = this.#options.properties;
    while (batch.length % largestReceive === 0 && batch.length < batchSize && !this.#stopping) {
      const more = await this.#receive(batch.length);
      if (more.length === 0) break;
      batch.push(...more);
    }
    return batch;
  }

  async #deliver(batch: ReceivedMessage[]): Promise<void> {
    const { properties, engine, invoker, trace, assembly } = this.#options;
    const Records = batch.map((message) => toLambdaRecord(message, properties.sourceArn, assembly.region));
    const ids = batch.map(({ messageId }) => messageId);
    const result = await invokeWhenAvailable(invoker, properties.functionArn, { Records });
    const failed = itemFailures(result, properties.reportsItemFailures, ids);
    const done = failed === "all" ? [] : batch.filter(({ messageId }) => !failed.has(messageId));
    const detail = { batchSize: batch.length, failures: batch.length - done.length };
    trace.record({ kind: "queue-message", name: this.queue, detail });
    const handles = done.map(({ receiptHandle }) => receiptHandle);
    if (handles.length > 0) await engine.deleteMessages(this.queue, handles);
  }
}

function toLambdaRecord(message: ReceivedMessage, eventSourceARN: string, awsRegion: string) {
  const attributes = Object.entries(message.messageAttributes).map(
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
      ApproximateReceiveCount: String(message.approximateReceiveCount),
      SentTimestamp: String(message.sentTimestamp),
      SenderId: "AIDAIENQZJOLO23YVJ4VO",
      ApproximateFirstReceiveTimestamp: String(message.approximateFirstReceiveTimestamp),
    },
    messageAttributes: Object.fromEntries(attributes),
    md5OfBody: message.md5OfBody,
    eventSource: "aws:sqs",
    eventSourceARN,
    awsRegion,
  };
}
