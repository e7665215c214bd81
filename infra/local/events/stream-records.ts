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
import { itemFailures } from "./invocations.ts";
import type { EngineRecord, ReadRecords } from "./record-reader.ts";
import type { SourceProperties } from "./source-properties.ts";

/** An empty sequence number means the shard's oldest record. */
export interface Checkpoint {
  streamArn: string;
  shards: Record<string, { sequenceNumber: string; finished: boolean }>;
}

const largestRead = 1000;
/** What a killed run may repeat. A save renames a file: as long as the routing of a request. */
const checkpointIntervalMs = 1_000;

export class StreamPosition {
  readonly #client: DynamoDBStreamsClient;
  readonly #readRecords: ReadRecords;
  readonly #file: StateFile<Checkpoint>;
  readonly #iterators = new Map<string, string | undefined>();
  #checkpoint: Checkpoint = { streamArn: "", shards: {} };
  #shards: Shard[] = [];
  #drainedAt: number | undefined;
  #saving: NodeJS.Timeout | undefined;

  constructor(client: DynamoDBStreamsClient, readRecords: ReadRecords, file: StateFile<Checkpoint>) {
    this.#client = client;
    this.#readRecords = readRecords;
    this.#file = file;
  }

  /** Throws if the table has no stream. */
  async open(TableName: string, startsAtEnd = false): Promise<void> {
    const { Streams } = await this.#client.send(new ListStreamsCommand({ TableName }));
    const streamArn = Streams?.[0]?.StreamArn;
    if (streamArn === undefined) throw new Error(`Table ${TableName} has no stream`);
    const saved = this.#file.read({ streamArn: "", shards: {} });
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
    this.#file.write(this.#checkpoint);
  }

  /** The last read has found all up to this commit marker. Undefined if it may not have. */
  get drainedAt(): number | undefined {
    return this.#drainedAt;
  }

  /** Parents before children. */
  async *read(
    most: number,
  ): AsyncGenerator<{ shardId: string; records: readonly EngineRecord[]; last: string }> {
    const shards = await this.#openShards();
    this.#drainedAt = undefined;
    for (const { ShardId: shardId = "" } of shards) {
      const ShardIterator = this.#iterators.get(shardId) ?? (await this.#openIterator(shardId));
      const limit = Math.min(most, largestRead);
      const { Records, NextShardIterator, drainedAt } = await this.#readRecords(ShardIterator, limit);
      const last = Records.at(-1)?.dynamodb?.SequenceNumber;
      // If the reader stops here, the next read returns these records again.
      if (last !== undefined) yield { shardId, records: Records, last };
      this.#iterators.set(shardId, NextShardIterator);
      // A closed shard has children, which the next read opens.
      if (shards.length === 1 && NextShardIterator !== undefined) this.#drainedAt = drainedAt;
      if (NextShardIterator === undefined) this.advance(shardId, this.#readPosition(shardId), true);
    }
  }

  advance(shardId: string, sequenceNumber: string, finished = false): void {
    this.#checkpoint.shards[shardId] = { sequenceNumber, finished };
    this.#saving ??= setTimeout(() => this.#saveLate(), checkpointIntervalMs);
  }

  #saveLate(): void {
    try {
      this.save();
    } catch (error) {
      console.error(error);
    }
  }

  /** Writes the checkpoint now. */
  save(): void {
    if (this.#saving === undefined) return;
    clearTimeout(this.#saving);
    this.#saving = undefined;
    this.#file.write(this.#checkpoint);
  }

  /** Begins anew after a restart of the engine or an expired iterator. */
  reopen(): void {
    this.#iterators.clear();
  }

  async #openShards(): Promise<Shard[]> {
    const isFinished = (id: string | undefined) => this.#checkpoint.shards[id ?? ""]?.finished === true;
    if (this.#shards.length === 0 || this.#shards.some((shard) => isFinished(shard.ShardId))) {
      const command = new DescribeStreamCommand({ StreamArn: this.#checkpoint.streamArn });
      const all = (await this.#client.send(command)).StreamDescription?.Shards ?? [];
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
    const { ShardIterator = "" } = await this.#client.send(command);
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
export function changesNothing({ event }: StreamRecord): boolean {
  const { OldImage, NewImage } = Object(event.dynamodb);
  return OldImage !== undefined && isDeepStrictEqual(OldImage, NewImage);
}

/** Makes Lambda's form: time in whole seconds, the template's ARN and region. */
export function toStreamRecord(
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

type BatchRules = Pick<
  SourceProperties,
  "reportsItemFailures" | "bisects" | "maximumRetries" | "maximumAgeMs"
>;

export interface GivenUp {
  condition: "RetryAttemptsExhausted" | "RecordAgeExceeded";
  records: StreamRecord[];
  invocations: number;
  result: InvokeResult | undefined;
}

export interface BatchActions {
  now(): number;
  invoke(records: StreamRecord[]): Promise<InvokeResult>;
  backOff(failures: number): Promise<void>;
  giveUp(given: GivenUp): Promise<void>;
  advance(record: StreamRecord): void;
  stopping(): boolean;
}

/**
 * Like Lambda, delivers in order: nothing overtakes a failing batch. Retries from the first failed
 * item, halves the batch if configured, and gives up by attempts or age.
 */
export async function deliverBatch(
  records: StreamRecord[],
  rules: BatchRules,
  actions: BatchActions,
  failures = 0,
): Promise<void> {
  let batch = records;
  let invocations = failures;
  let result: InvokeResult | undefined;
  const giveUp = async (condition: GivenUp["condition"], given: StreamRecord[]) => {
    await actions.giveUp({ condition, records: given, invocations, result });
    advanceTo(given, actions);
  };
  while (batch.length > 0 && !actions.stopping()) {
    const oldest = actions.now() - rules.maximumAgeMs;
    const tooOld = batch.filter((record) => record.createdAt < oldest);
    if (tooOld.length > 0) {
      batch = batch.filter((record) => record.createdAt >= oldest);
      await giveUp("RecordAgeExceeded", tooOld);
      continue;
    }
    result = await actions.invoke(batch);
    const handled = handledInOrder(result, rules, batch);
    advanceTo(batch.slice(0, handled), actions);
    batch = batch.slice(handled);
    if (handled > 0 || batch.length === 0) continue;
    if (rules.bisects && batch.length > 1) {
      // Halving does not count as an attempt.
      const half = Math.ceil(batch.length / 2);
      await deliverBatch(batch.slice(0, half), rules, actions, invocations);
      batch = batch.slice(half);
      continue;
    }
    invocations += 1;
    if (invocations > rules.maximumRetries) return giveUp("RetryAttemptsExhausted", batch);
    await actions.backOff(invocations);
  }
}

function handledInOrder(result: InvokeResult, rules: BatchRules, batch: StreamRecord[]): number {
  const ids = batch.map((record) => record.sequenceNumber);
  const failures = itemFailures(result, rules.reportsItemFailures, ids);
  if (failures === "all") return 0;
  const first = ids.findIndex((id) => failures.has(id));
  return first === -1 ? batch.length : first;
}

function advanceTo(records: StreamRecord[], actions: BatchActions): void {
  const last = records.at(-1);
  if (last !== undefined) actions.advance(last);
}
