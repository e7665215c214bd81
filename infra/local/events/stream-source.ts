import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetShardIteratorCommand,
  ListStreamsCommand,
  type Shard,
} from "@aws-sdk/client-dynamodb-streams";
import type { VirtualClock } from "../clock.ts";
import type { StateFile } from "../files.ts";
import type { InvokeResult } from "../interfaces.ts";
import { randomUUID } from "../randomness.ts";
import { type EventParts, invokeWhenAvailable, itemFailures } from "./invocations.ts";
import type { EngineRecord, ReadRecords } from "./record-reader.ts";
import type { SourceProperties } from "./source-properties.ts";

export interface StreamSourceOptions extends EventParts {
  properties: SourceProperties;
  observe?: (records: readonly StreamRecord[]) => void;
  client: DynamoDBStreamsClient;
  readRecords: ReadRecords;
  checkpoint: StateFile<Checkpoint>;
}

/** How often the commit marker, or an engine that has none, is looked at without being told. */
const markerIntervalMs = 50;
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
  #isDrained = true;
  #hurry = () => {};
  #endWork = () => {};
  #backingOff = false;
  #isReopened = false;
  #loop: Promise<void> = Promise.resolve();
  /** The step under way; `retry` continues one that has backed off long enough. */
  #step: { work: Promise<boolean>; backsOff: PromiseWithResolvers<void>; retry?: () => void } | undefined;

  constructor(options: StreamSourceOptions) {
    this.#options = options;
    this.#position = new StreamPosition(options);
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
        const seen = commitMarker();
        if (seen !== undefined && seen === this.#emptyAt) {
          await nextChange(markerIntervalMs, seen);
          continue;
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
        if (marker === undefined) await nextChange(markerIntervalMs);
      } catch (error) {
        if (this.#abort.signal.aborted) return;
        // DynamoDB Local rejects an iterator that is older than the shard's first record, once.
        if (this.#isReopened || !String(error).includes("TrimmedDataAccess")) console.error(error);
        this.#isReopened = true;
        this.#position.reopen();
        await delay(failureIntervalMs, undefined, { signal: this.#abort.signal }).catch(() => undefined);
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
    // After they are with the function, which waits for them.
    setImmediate(() => observe?.(all));
    this.#endWork = activity.begin(this.#name);
    try {
      const wanted = all.filter((record) => properties.wants(record.event) && !changesNothing(record));
      await this.#deliverBatch(shardId, wanted);
    } finally {
      this.#endWork();
    }
  }

  /**
   * Like Lambda, delivers in order: nothing overtakes a failing batch. Retries from the first
   * failed item, halves the batch if configured, and gives up by attempts or age.
   */
  async #deliverBatch(shardId: string, records: StreamRecord[], failures = 0): Promise<void> {
    const { properties, clock } = this.#options;
    let batch = records;
    let invocations = failures;
    let result: InvokeResult | undefined;
    while (batch.length > 0 && !this.#abort.signal.aborted) {
      const oldest = clock.now() - properties.maximumAgeMs;
      const tooOld = batch.filter((record) => record.createdAt < oldest);
      if (tooOld.length > 0) {
        batch = batch.filter((record) => record.createdAt >= oldest);
        await this.#giveUp(shardId, "RecordAgeExceeded", tooOld, invocations, result);
        continue;
      }
      result = await this.#invoke(batch);
      const handled = handledInOrder(result, properties, batch);
      this.#advanceTo(shardId, batch.slice(0, handled));
      batch = batch.slice(handled);
      if (handled > 0 || batch.length === 0) continue;
      if (properties.bisects && batch.length > 1) {
        // Halving does not count as an attempt.
        const half = Math.ceil(batch.length / 2);
        await this.#deliverBatch(shardId, batch.slice(0, half), invocations);
        batch = batch.slice(half);
        continue;
      }
      invocations += 1;
      if (invocations > properties.maximumRetries)
        return this.#giveUp(shardId, "RetryAttemptsExhausted", batch, invocations, result);
      await this.#backOff(invocations);
    }
  }

  #advanceTo(shardId: string, records: StreamRecord[]): void {
    const last = records.at(-1);
    if (last !== undefined) this.#position.advance(shardId, last.sequenceNumber);
  }

  /** Waiting counts as idle: the clock may move to its end. */
  async #backOff(failures: number): Promise<void> {
    const { activity, clock } = this.#options;
    this.#backingOff = true;
    this.#endWork();
    const waitMs = Math.min(firstBackOffMs * 2 ** (failures - 1), longestBackOffMs);
    this.#step?.backsOff.resolve();
    await clock.sleep(waitMs, this.#abort.signal);
    await this.#nextStep();
    this.#endWork = activity.begin(this.#name);
    this.#backingOff = false;
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
  async #giveUp(
    shardId: string,
    condition: "RetryAttemptsExhausted" | "RecordAgeExceeded",
    records: StreamRecord[],
    invocations: number,
    result: InvokeResult | undefined,
  ): Promise<void> {
    const { properties, engine, clock } = this.#options;
    const [first, last] = [records[0], records.at(-1)];
    this.#note(records, condition);
    if (properties.failureQueue === undefined || first === undefined || last === undefined)
      return this.#advanceTo(shardId, records);
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
    this.#advanceTo(shardId, records);
  }

  #note(batch: StreamRecord[], outcome: string): void {
    const { trace, properties } = this.#options;
    const detail = { batchSize: batch.length, outcome };
    trace.record({ kind: "stream-record", name: properties.name, detail });
  }
}

/** An empty sequence number means the shard's oldest record. */
export interface Checkpoint {
  streamArn: string;
  shards: Record<string, { sequenceNumber: string; finished: boolean }>;
}

const largestRead = 1000;
/** What a killed run may repeat. A save renames a file: as long as the routing of a request. */
const checkpointIntervalMs = 1_000;

type PositionParts = Pick<StreamSourceOptions, "client" | "readRecords" | "checkpoint">;

export class StreamPosition {
  readonly #parts: PositionParts;
  readonly #iterators = new Map<string, string | undefined>();
  #checkpoint: Checkpoint = { streamArn: "", shards: {} };
  #shards: Shard[] = [];
  /** The last read has found all up to this commit marker. Undefined if it may not have. */
  drainedAt: number | undefined;
  #saving: NodeJS.Timeout | undefined;

  constructor(parts: PositionParts) {
    this.#parts = parts;
  }

  /** Throws if the table has no stream. */
  async open(TableName: string, startsAtEnd = false): Promise<void> {
    const { Streams } = await this.#parts.client.send(new ListStreamsCommand({ TableName }));
    const streamArn = Streams?.[0]?.StreamArn;
    if (streamArn === undefined) throw new Error(`Table ${TableName} has no stream`);
    const saved = this.#parts.checkpoint.read({ streamArn: "", shards: {} });
    const isKnown = saved.streamArn === streamArn;
    this.#checkpoint = isKnown ? saved : { streamArn, shards: {} };
    if (startsAtEnd && !isKnown) await this.#goToEnd();
  }

  async #goToEnd(): Promise<void> {
    for (let isAtEnd = false; !isAtEnd; ) {
      isAtEnd = true;
      for await (const { shardId, last } of this.read(largestRead)) {
        this.advance(shardId, last);
        isAtEnd = false;
      }
    }
    this.#parts.checkpoint.write(this.#checkpoint);
  }

  /** Parents before children. */
  async *read(
    most: number,
  ): AsyncGenerator<{ shardId: string; records: readonly EngineRecord[]; last: string }> {
    const shards = await this.#openShards();
    this.drainedAt = undefined;
    for (const { ShardId: shardId = "" } of shards) {
      const ShardIterator = this.#iterators.get(shardId) ?? (await this.#openIterator(shardId));
      const limit = Math.min(most, largestRead);
      const { Records, NextShardIterator, drainedAt } = await this.#parts.readRecords(ShardIterator, limit);
      const last = Records.at(-1)?.dynamodb?.SequenceNumber;
      // If the reader stops here, the next read returns these records again.
      if (last !== undefined) yield { shardId, records: Records, last };
      this.#iterators.set(shardId, NextShardIterator);
      // A closed shard has children, which the next read opens.
      if (shards.length === 1 && NextShardIterator !== undefined) this.drainedAt = drainedAt;
      if (NextShardIterator === undefined) this.advance(shardId, this.#readPosition(shardId), true);
    }
  }

  advance(shardId: string, sequenceNumber: string, finished = false): void {
    this.#checkpoint.shards[shardId] = { sequenceNumber, finished };
    const saveLate = async () => this.save();
    this.#saving ??= setTimeout(() => saveLate().catch(console.error), checkpointIntervalMs);
  }

  /** Writes the checkpoint now. */
  save(): void {
    if (this.#saving === undefined) return;
    clearTimeout(this.#saving);
    this.#saving = undefined;
    this.#parts.checkpoint.write(this.#checkpoint);
  }

  /** Begins anew after a restart of the engine or an expired iterator. */
  reopen(): void {
    this.#iterators.clear();
  }

  async #openShards(): Promise<Shard[]> {
    const isFinished = (id: string | undefined) => this.#checkpoint.shards[id ?? ""]?.finished === true;
    if (this.#shards.length === 0 || this.#shards.some((shard) => isFinished(shard.ShardId))) {
      const command = new DescribeStreamCommand({ StreamArn: this.#checkpoint.streamArn });
      const all = (await this.#parts.client.send(command)).StreamDescription?.Shards ?? [];
      const ids = new Set(all.map((shard) => shard.ShardId));
      this.#shards = all.filter(
        ({ ShardId, ParentShardId }) =>
          !isFinished(ShardId) && (!ids.has(ParentShardId) || isFinished(ParentShardId)),
      );
    }
    return this.#shards;
  }

  async #openIterator(ShardId: string): Promise<string> {
    const SequenceNumber = this.#readPosition(ShardId);
    const command = new GetShardIteratorCommand({
      StreamArn: this.#checkpoint.streamArn,
      ShardId,
      ...(SequenceNumber === ""
        ? { ShardIteratorType: "TRIM_HORIZON" }
        : { ShardIteratorType: "AFTER_SEQUENCE_NUMBER", SequenceNumber }),
    });
    const { ShardIterator = "" } = await this.#parts.client.send(command);
    return ShardIterator;
  }

  #readPosition(shardId: string): string {
    return this.#checkpoint.shards[shardId]?.sequenceNumber ?? "";
  }
}

/** A record as Lambda gets it. */
export interface StreamRecord {
  sequenceNumber: string;
  createdAt: number;
  event: Record<string, unknown>;
}

/** An engine may record an update without changes; DynamoDB does not. */
function changesNothing({ event }: StreamRecord): boolean {
  const { OldImage, NewImage } = Object(event.dynamodb);
  return OldImage !== undefined && isDeepStrictEqual(OldImage, NewImage);
}

/** Makes Lambda's form: time in whole seconds, the template's ARN and region. */
function toStreamRecord(
  record: EngineRecord,
  sourceArn: string,
  awsRegion: string,
  clock: Pick<VirtualClock, "now" | "isHeld" | "offsetMs">,
): StreamRecord {
  const { ApproximateCreationDateTime: seconds, SequenceNumber = "" } = record.dynamodb ?? {};
  const engineMs = seconds === undefined ? Date.now() : seconds * 1000;
  const createdAt = clock.isHeld ? clock.now() : engineMs + clock.offsetMs;
  return {
    sequenceNumber: SequenceNumber,
    createdAt,
    event: {
      ...record,
      awsRegion,
      dynamodb: { ...record.dynamodb, ApproximateCreationDateTime: Math.floor(createdAt / 1000) },
      eventSourceARN: sourceArn,
    },
  };
}

function handledInOrder(result: InvokeResult, rules: SourceProperties, batch: StreamRecord[]): number {
  const ids = batch.map((record) => record.sequenceNumber);
  const failures = itemFailures(result, rules.reportsItemFailures, ids);
  if (failures === "all") return 0;
  const first = ids.findIndex((id) => failures.has(id));
  return first === -1 ? batch.length : first;
}
