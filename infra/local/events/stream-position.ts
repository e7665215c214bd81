import {
  type _Record,
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
  type Shard,
} from "@aws-sdk/client-dynamodb-streams";
import type { StateFile } from "../files.ts";

/** The position in each shard. An empty sequence number means its oldest record. */
export interface Checkpoint {
  streamArn: string;
  shards: Record<string, { sequenceNumber: string; finished: boolean }>;
}

const largestRead = 1000;

/** A source's position in a stream, kept over restarts. */
export class StreamPosition {
  readonly #client: DynamoDBStreamsClient;
  readonly #file: StateFile<Checkpoint>;
  readonly #iterators = new Map<string, string | undefined>();
  #checkpoint: Checkpoint = { streamArn: "", shards: {} };
  #shards: Shard[] = [];

  constructor(client: DynamoDBStreamsClient, file: StateFile<Checkpoint>) {
    this.#client = client;
    this.#file = file;
  }

  /** Finds the stream and its checkpoint. Throws if the table has no stream. */
  async open(TableName: string): Promise<void> {
    const { Streams } = await this.#client.send(new ListStreamsCommand({ TableName }));
    const streamArn = Streams?.[0]?.StreamArn;
    if (streamArn === undefined) throw new Error(`Table ${TableName} has no stream`);
    const saved = this.#file.read({ streamArn, shards: {} });
    this.#checkpoint = saved.streamArn === streamArn ? saved : { streamArn, shards: {} };
  }

  /** Reads the next records of each open shard in order, parents before children. */
  async *read(most: number): AsyncGenerator<{ shardId: string; records: _Record[] }> {
    for (const { ShardId: shardId = "" } of await this.#openShards()) {
      const ShardIterator = this.#iterators.get(shardId) ?? (await this.#iteratorOf(shardId));
      const command = new GetRecordsCommand({ ShardIterator, Limit: Math.min(most, largestRead) });
      const { Records = [], NextShardIterator } = await this.#client.send(command);
      // If the reader stops here, the next read returns these records again.
      if (Records.length > 0) yield { shardId, records: Records };
      this.#iterators.set(shardId, NextShardIterator);
      if (NextShardIterator === undefined) this.advance(shardId, this.#positionOf(shardId), true);
    }
  }

  /** Marks everything of the shard up to this record as done. */
  advance(shardId: string, sequenceNumber: string, finished = false): void {
    this.#checkpoint.shards[shardId] = { sequenceNumber, finished };
    this.#file.write(this.#checkpoint);
  }

  /** Returns to the checkpoint, after a restart of the engine or an expired iterator. */
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

  async #iteratorOf(ShardId: string): Promise<string | undefined> {
    const SequenceNumber = this.#positionOf(ShardId);
    const command = new GetShardIteratorCommand({
      StreamArn: this.#checkpoint.streamArn,
      ShardId,
      ...(SequenceNumber === ""
        ? { ShardIteratorType: "TRIM_HORIZON" }
        : { ShardIteratorType: "AFTER_SEQUENCE_NUMBER", SequenceNumber }),
    });
    return (await this.#client.send(command)).ShardIterator;
  }

  #positionOf(shardId: string): string {
    return this.#checkpoint.shards[shardId]?.sequenceNumber ?? "";
  }
}
