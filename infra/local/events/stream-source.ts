import { setTimeout as delay } from "node:timers/promises";
import type { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import type { StateFile } from "../files.ts";
import type { InvokeResult } from "../interfaces.ts";
import { randomUUID } from "../randomness.ts";
import { type EventParts, invokeWhenAvailable } from "./invocations.ts";
import type { EngineRecord, ReadRecords } from "./record-reader.ts";
import type { SourceProperties } from "./source-properties.ts";
import {
  type BatchActions,
  type Checkpoint,
  changesNothing,
  deliverBatch,
  type GivenUp,
  StreamPosition,
  type StreamRecord,
  toStreamRecord,
} from "./stream-records.ts";

export interface StreamSourceOptions extends EventParts {
  properties: SourceProperties;
  observe?: (records: readonly StreamRecord[]) => void;
  client: DynamoDBStreamsClient;
  readRecords: ReadRecords;
  checkpoint: StateFile<Checkpoint>;
}

/** How often the commit marker is looked at, where the system reports commits and where not. */
const reportedIntervalMs = 100;
const unreportedIntervalMs = 5;
const pollIntervalMs = 50;
const firstBackOffMs = 100;
const longestBackOffMs = 10_000;
const failureIntervalMs = 250;

/** Feeds a function from a table's stream: at least once, in order, from the last checkpoint. */
export class StreamSource {
  readonly #options: StreamSourceOptions;
  readonly #position: StreamPosition;
  readonly #name: string;
  readonly #abort = new AbortController();
  #emptyAt: number | undefined;
  #emptyReads = 0;
  #intervalMs = reportedIntervalMs;
  #isDrained = true;
  #hurry = () => {};
  #backingOff = false;
  #isReopened = false;
  #loop: Promise<void> = Promise.resolve();
  /** The step under way; `retry` continues one that has backed off long enough. */
  #step: { work: Promise<boolean>; backsOff: PromiseWithResolvers<void>; retry?: () => void } | undefined;

  constructor(options: StreamSourceOptions) {
    this.#options = options;
    this.#position = new StreamPosition(options.client, options.readRecords, options.checkpoint);
    this.#name = `stream ${options.properties.name}`;
  }

  async start(): Promise<void> {
    await this.open();
    this.#options.activity.addPending(this.#name, () => this.#isPending());
    this.#loop = this.#run();
  }

  /** Enough for a source that takes steps. */
  async open(): Promise<void> {
    const { sourceArn, startsAtEnd } = this.#options.properties;
    await this.#position.open(sourceArn.replace(/^.*:table\/([^/]+).*$/, "$1"), startsAtEnd);
  }

  /** Delivers what is there now, and returns when that is done or waits for a retry. */
  async step(): Promise<boolean> {
    const marker = this.#options.commitMarker();
    const backsOff = Promise.withResolvers<void>();
    if (this.#step === undefined) {
      if (marker !== undefined && marker === this.#emptyAt) return false;
      this.#step = { work: this.#readOnce(), backsOff };
    } else {
      const { work, retry } = this.#step;
      if (retry === undefined) return false;
      this.#step = { work, backsOff };
      retry();
    }
    const found = await Promise.race([this.#step.work, backsOff.promise]);
    if (found === undefined) return true;
    this.#step = undefined;
    if (!found) this.#emptyAt = marker;
    return found;
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#loop;
    this.#position.save();
  }

  async #run(): Promise<void> {
    const { commitMarker, nextChange } = this.#options;
    while (!this.#abort.signal.aborted) {
      try {
        if (this.#emptyAt !== undefined && commitMarker() === this.#emptyAt) {
          const isReported = await nextChange(this.#intervalMs);
          if (commitMarker() === this.#emptyAt) continue;
          this.#intervalMs = isReported ? reportedIntervalMs : unreportedIntervalMs;
        }
        if (this.#isDrained) await this.#collect();
        const marker = commitMarker();
        const isFound = await this.#readOnce();
        const { drainedAt } = this.#position;
        this.#isReopened = false;
        this.#isDrained = !isFound || drainedAt !== undefined;
        if (!this.#isDrained) continue;
        this.#emptyAt = isFound ? drainedAt : marker;
        if (!isFound) this.#emptyReads += 1;
        if (marker === undefined) await this.#pause(pollIntervalMs);
      } catch (error) {
        if (this.#abort.signal.aborted) return;
        // DynamoDB Local rejects an iterator that is older than the shard's first record, once.
        if (this.#isReopened || !String(error).includes("TrimmedDataAccess")) console.error(error);
        this.#isReopened = true;
        this.#position.reopen();
        await this.#pause(failureIntervalMs);
      }
    }
  }

  /** Collects records for the batching window, or until something waits for the work to end. */
  async #collect(): Promise<void> {
    const { windowMs } = this.#options.properties;
    if (windowMs === 0) return;
    const hurry = new AbortController();
    this.#hurry = () => hurry.abort();
    const signal = AbortSignal.any([hurry.signal, this.#abort.signal]);
    await delay(windowMs, undefined, { signal }).catch(() => undefined);
  }

  async #readOnce(): Promise<boolean> {
    let found = false;
    for await (const read of this.#position.read(this.#options.properties.batchSize)) {
      found = true;
      await this.#deliver(read.shardId, read.records);
      if (this.#abort.signal.aborted) break;
      this.#position.advance(read.shardId, read.last);
    }
    return found;
  }

  async #isPending(): Promise<boolean> {
    if (this.#backingOff) return false;
    this.#hurry();
    const marker = this.#options.commitMarker();
    if (marker !== undefined) return marker !== this.#emptyAt;
    // The current read may have started too early; the next one is certain.
    const enough = this.#emptyReads + 2;
    while (this.#emptyReads < enough && !this.#backingOff && !this.#abort.signal.aborted) {
      this.#hurry();
      await delay(5);
    }
    return false;
  }

  async #deliver(shardId: string, records: readonly EngineRecord[]): Promise<void> {
    const { properties, activity, clock, assembly, observe } = this.#options;
    const all = records.map((record) => toStreamRecord(record, properties.sourceArn, assembly.region, clock));
    observe?.(all);
    let end = activity.begin(this.#name);
    const actions: BatchActions = {
      now: () => clock.now(),
      stopping: () => this.#abort.signal.aborted,
      advance: (record) => this.#position.advance(shardId, record.sequenceNumber),
      invoke: (batch) => this.#invoke(batch),
      giveUp: (given) => this.#giveUp(shardId, given),
      backOff: async (failures) => {
        // Waiting counts as idle: the clock may move to its end.
        this.#backingOff = true;
        end();
        const waitMs = Math.min(firstBackOffMs * 2 ** (failures - 1), longestBackOffMs);
        this.#step?.backsOff.resolve();
        await clock.sleep(waitMs, this.#abort.signal);
        await this.#nextStep();
        end = activity.begin(this.#name);
        this.#backingOff = false;
      },
    };
    try {
      const wanted = all.filter((record) => properties.wants(record.event) && !changesNothing(record));
      await deliverBatch(wanted, properties, actions);
    } finally {
      end();
    }
  }

  /** A source that takes steps continues in the next one. */
  async #nextStep(): Promise<void> {
    const step = this.#step;
    if (step === undefined || this.#abort.signal.aborted) return;
    await new Promise<void>((retry) => Object.assign(step, { retry }));
  }

  async #invoke(batch: StreamRecord[]): Promise<InvokeResult> {
    const { properties, invoker } = this.#options;
    const event = { Records: batch.map((record) => record.event) };
    const result = await invokeWhenAvailable(invoker, properties.functionArn, event);
    this.#note(batch, result.functionError ?? "Succeeded");
    return result;
  }

  /** Lambda's record of a failed batch contains its position in the stream, not its content. */
  async #giveUp(shardId: string, { condition, records, invocations, result }: GivenUp): Promise<void> {
    const { properties, engine, clock } = this.#options;
    const [first, last] = [records[0], records.at(-1)];
    this.#note(records, condition);
    if (properties.failureQueue === undefined || first === undefined || last === undefined) return;
    const time = (ms: number) => new Date(ms).toISOString();
    const body = {
      requestContext: {
        requestId: randomUUID(),
        functionArn: properties.functionArn,
        condition,
        approximateInvokeCount: invocations,
      },
      ...(result !== undefined && {
        responseContext: {
          statusCode: 200,
          executedVersion: "$LATEST",
          functionError: result.functionError ?? null,
        },
      }),
      version: "1.0",
      timestamp: time(clock.now()),
      DDBStreamBatchInfo: {
        shardId,
        startSequenceNumber: first.sequenceNumber,
        endSequenceNumber: last.sequenceNumber,
        approximateArrivalOfFirstRecord: time(first.createdAt),
        approximateArrivalOfLastRecord: time(last.createdAt),
        batchSize: records.length,
        streamArn: properties.sourceArn,
      },
    };
    await engine.send(properties.failureQueue, { body: JSON.stringify(body) });
  }

  #note(batch: StreamRecord[], outcome: string): void {
    const { trace, properties } = this.#options;
    const detail = { batchSize: batch.length, outcome };
    trace.record({ kind: "stream-record", name: properties.name, detail });
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#abort.signal }).catch(() => undefined);
  }
}
