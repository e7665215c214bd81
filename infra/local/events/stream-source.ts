import { setTimeout as delay } from "node:timers/promises";
import {
  type _Record,
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
  type Shard,
} from "@aws-sdk/client-dynamodb-streams";
import type { VirtualClock } from "../clock.ts";
import type { SqsEngine } from "../engines/sqs.ts";
import {
  type Assembly,
  type FunctionInvoker,
  InvocationRefused,
  type InvokeResult,
  type Trace,
} from "../interfaces.ts";
import type { StateFile } from "../state-file.ts";
import type { Activity } from "./activity.ts";
import type { SourceProperties } from "./source-properties.ts";
import { type BatchSurroundings, deliverBatch, type GivenUp, type StreamRecord } from "./stream-batch.ts";

export interface StreamSourceOptions {
  properties: SourceProperties;
  assembly: Assembly;
  client: DynamoDBStreamsClient;
  /** See `DynamoEngine.commitMarker`. */
  commitMarker(): number | undefined;
  engine: SqsEngine;
  invoker: FunctionInvoker;
  clock: VirtualClock;
  activity: Activity;
  trace: Trace;
  checkpoint: StateFile<Checkpoint>;
}

/** How far each shard is dealt with. An empty sequence number: from its oldest record on. */
export interface Checkpoint {
  streamArn: string;
  shards: Record<string, { sequenceNumber: string; finished: boolean }>;
}

const MARKER_INTERVAL_MS = 10;
const POLL_INTERVAL_MS = 50;
const FIRST_BACK_OFF_MS = 100;
const LONGEST_BACK_OFF_MS = 10_000;
const TROUBLE_INTERVAL_MS = 250;

/** Feeds a function from a table's stream: at least once, in order, from where the last run ended. */
export class StreamSource {
  readonly #options: StreamSourceOptions;
  readonly #name: string;
  readonly #abort = new AbortController();
  readonly #iterators = new Map<string, string | undefined>();
  #checkpoint: Checkpoint = { streamArn: "", shards: {} };
  /** The engine's marker from before the last look that found nothing. */
  #emptyAt: number | undefined;
  #looks = 0;
  #backingOff = false;
  #loop: Promise<void> = Promise.resolve();

  constructor(options: StreamSourceOptions) {
    this.#options = options;
    this.#name = `stream ${options.properties.name}`;
  }

  /** Finds the stream and where to begin. Errors: the table has no stream. */
  async start(): Promise<void> {
    const { client, properties, checkpoint, activity } = this.#options;
    const TableName = properties.sourceArn.replace(/^.*:table\/([^/]+).*$/, "$1");
    const streamArn = (await client.send(new ListStreamsCommand({ TableName }))).Streams?.[0]?.StreamArn;
    if (streamArn === undefined) throw new Error(`Table ${TableName} has no stream`);
    const saved = checkpoint.read({ streamArn, shards: {} });
    const isNew = Object.keys(saved.shards).length === 0;
    this.#checkpoint = saved.streamArn === streamArn ? saved : { streamArn, shards: {} };
    if (isNew && properties.startingPosition === "LATEST") await this.#skipToLatest();
    activity.addPending(this.#name, () => this.#isPending());
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    const { commitMarker } = this.#options;
    while (!this.#abort.signal.aborted) {
      const marker = commitMarker();
      if (marker !== undefined && marker === this.#emptyAt) {
        await this.#pause(MARKER_INTERVAL_MS);
        continue;
      }
      try {
        const found = await this.#look();
        if (found) continue;
        this.#emptyAt = marker;
        this.#looks += 1;
        if (marker === undefined) await this.#pause(POLL_INTERVAL_MS);
      } catch (error) {
        if (this.#abort.signal.aborted) return;
        // An engine that restarts is back in a moment, and a stale iterator is made anew.
        console.error(error);
        this.#iterators.clear();
        await this.#pause(TROUBLE_INTERVAL_MS);
      }
    }
  }

  async #isPending(): Promise<boolean> {
    if (this.#backingOff) return false;
    const marker = this.#options.commitMarker();
    if (marker !== undefined) return marker !== this.#emptyAt;
    // The look under way may have begun too early; the one after it tells.
    const wanted = this.#looks + 2;
    while (this.#looks < wanted && !this.#backingOff && !this.#abort.signal.aborted) await delay(5);
    return false;
  }

  /** One look into each open shard, parents before children. True: there was something. */
  async #look(): Promise<boolean> {
    let found = false;
    for (const shard of await this.#openShards()) {
      const shardId = shard.ShardId ?? "";
      const ShardIterator = this.#iterators.get(shardId) ?? (await this.#iteratorOf(shardId));
      const { client, properties } = this.#options;
      const Limit = Math.min(properties.batchSize, 1000);
      const { Records = [], NextShardIterator } = await client.send(
        new GetRecordsCommand({ ShardIterator, Limit }),
      );
      if (Records.length > 0) {
        found = true;
        await this.#deliver(shardId, Records);
        if (this.#abort.signal.aborted) return true;
      }
      this.#iterators.set(shardId, NextShardIterator);
      if (NextShardIterator === undefined) this.#advance(shardId, this.#positionOf(shardId), true);
    }
    return found;
  }

  #shards: Shard[] = [];

  async #openShards(): Promise<Shard[]> {
    const { client } = this.#options;
    const isFinished = (id: string | undefined) => this.#checkpoint.shards[id ?? ""]?.finished === true;
    if (this.#shards.length === 0 || this.#shards.some((shard) => isFinished(shard.ShardId))) {
      const command = new DescribeStreamCommand({ StreamArn: this.#checkpoint.streamArn });
      const all = (await client.send(command)).StreamDescription?.Shards ?? [];
      const ids = new Set(all.map((shard) => shard.ShardId));
      this.#shards = all.filter(
        ({ ShardId, ParentShardId }) =>
          !isFinished(ShardId) && (!ids.has(ParentShardId) || isFinished(ParentShardId)),
      );
    }
    return this.#shards;
  }

  async #iteratorOf(ShardId: string): Promise<string | undefined> {
    const SequenceNumber = this.#positionOf(ShardId);
    const command = new GetShardIteratorCommand({
      StreamArn: this.#checkpoint.streamArn,
      ShardId,
      ...(SequenceNumber === ""
        ? { ShardIteratorType: "TRIM_HORIZON" }
        : { ShardIteratorType: "AFTER_SEQUENCE_NUMBER", SequenceNumber }),
    });
    return (await this.#options.client.send(command)).ShardIterator;
  }

  #positionOf(shardId: string): string {
    return this.#checkpoint.shards[shardId]?.sequenceNumber ?? "";
  }

  #advance(shardId: string, sequenceNumber: string, finished = false): void {
    this.#checkpoint.shards[shardId] = { sequenceNumber, finished };
    this.#options.checkpoint.write(this.#checkpoint);
  }

  /** What is there already is left out, and that is remembered: what comes before the next start is not. */
  async #skipToLatest(): Promise<void> {
    const { client } = this.#options;
    for (const { ShardId = "" } of await this.#openShards()) {
      let position = "";
      let ShardIterator = await this.#iteratorOf(ShardId);
      while (ShardIterator !== undefined) {
        const { Records = [], NextShardIterator } = await client.send(
          new GetRecordsCommand({ ShardIterator }),
        );
        position = Records.at(-1)?.dynamodb?.SequenceNumber ?? position;
        ShardIterator = Records.length === 0 ? undefined : NextShardIterator;
      }
      this.#advance(ShardId, position);
    }
  }

  async #deliver(shardId: string, records: _Record[]): Promise<void> {
    const { properties, activity, clock, invoker, trace, assembly } = this.#options;
    const all = records.map((record) =>
      toLambda(record, properties.sourceArn, assembly.region, clock.offsetMs),
    );
    const wanted = all.filter((record) => properties.wants(record.event));
    let end = activity.begin(this.#name);
    const surroundings: BatchSurroundings = {
      now: () => clock.now(),
      stopping: () => this.#abort.signal.aborted,
      advance: (record) => this.#advance(shardId, record.sequenceNumber),
      backOff: async (failures) => {
        // What waits is at rest: the clock may move on to the end of the wait.
        this.#backingOff = true;
        end();
        const waitMs = Math.min(FIRST_BACK_OFF_MS * 2 ** (failures - 1), LONGEST_BACK_OFF_MS);
        await clock.sleep(waitMs, this.#abort.signal);
        end = activity.begin(this.#name);
        this.#backingOff = false;
      },
      giveUp: (given) => this.#giveUp(shardId, given),
      invoke: async (batch) => {
        const result = await this.#invoke(invoker, batch);
        const outcome = result.functionError ?? "Succeeded";
        trace.record({
          kind: "stream-record",
          name: properties.name,
          detail: { batchSize: batch.length, outcome },
        });
        return result;
      },
    };
    try {
      await deliverBatch(wanted, properties, surroundings);
      const last = all.at(-1);
      if (last !== undefined && !this.#abort.signal.aborted) surroundings.advance(last);
    } finally {
      end();
    }
  }

  async #invoke(invoker: FunctionInvoker, batch: StreamRecord[]): Promise<InvokeResult> {
    for (;;) {
      try {
        return await invoker.invoke(this.#options.properties.functionArn, {
          Records: batch.map(({ event }) => event),
        });
      } catch (error) {
        // No room now: being refused is no attempt.
        if (!(error instanceof InvocationRefused) || error.code !== "TooManyRequestsException") throw error;
        await this.#pause(FIRST_BACK_OFF_MS);
      }
    }
  }

  /** The documented record of a batch that was given up: where it stands in the stream, not what is in it. */
  async #giveUp(shardId: string, { condition, records, invocations, result }: GivenUp): Promise<void> {
    const { properties, engine, clock, trace } = this.#options;
    const [first, last] = [records[0], records.at(-1)];
    trace.record({
      kind: "stream-record",
      name: properties.name,
      detail: { batchSize: records.length, outcome: condition },
    });
    if (properties.failureQueue === undefined || first === undefined || last === undefined) return;
    const time = (ms: number) => new Date(ms).toISOString();
    const body = {
      requestContext: {
        requestId: crypto.randomUUID(),
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

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#abort.signal }).catch(() => undefined);
  }
}

/** A record in the shape that Lambda hands over: times in seconds, binary as base64, the template's ARN and region. */
function toLambda(record: _Record, sourceArn: string, awsRegion: string, offsetMs: number): StreamRecord {
  const createdAt = (record.dynamodb?.ApproximateCreationDateTime?.getTime() ?? Date.now()) + offsetMs;
  const plain = JSON.parse(
    JSON.stringify(record, (_, value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value,
    ),
  );
  return {
    sequenceNumber: record.dynamodb?.SequenceNumber ?? "",
    createdAt,
    event: {
      ...plain,
      awsRegion,
      dynamodb: { ...plain.dynamodb, ApproximateCreationDateTime: Math.floor(createdAt / 1000) },
      eventSourceARN: sourceArn,
    },
  };
}
