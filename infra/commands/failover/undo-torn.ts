import { isDeepStrictEqual } from "node:util";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  ListStreamsCommand,
  type Shard,
} from "@aws-sdk/client-dynamodb-streams";
import { DeleteCommand, DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { writtenWith } from "../../../shared/platform/table/stamp.ts";
import { readShard } from "../read-shard.ts";
import {
  type Change,
  deletedItems,
  findTorn,
  type Item,
  type Restored,
  tomb,
  type UndoneTransaction,
} from "./find-torn.ts";

interface Replica {
  readonly dynamo: DynamoDBClient;
  readonly streams: DynamoDBStreamsClient;
  readonly tables: readonly string[];
}

/** Within which all items of a transaction come, as long as the region is not lost. */
const longestLagMs = 600_000;

/**
 * Undoes the transactions that a replica has in part, and those that wrote upon them. Nothing may
 * write meanwhile. Repeated, it does no more. Tells what it undoes, and so loses, before it writes:
 * a run after one that was ended knows only of the rest. Returns the same.
 */
export async function undoTorn(
  { dynamo, streams, tables }: Replica,
  since: Date,
  tell: (undone: readonly UndoneTransaction[]) => void = () => undefined,
): Promise<UndoneTransaction[]> {
  const changes: Change[] = [];
  const from = new Date(since.getTime() - longestLagMs);
  for (const table of tables) {
    for await (const change of readChanges(streams, table)) if (change.at >= from) changes.push(change);
  }
  const client = DynamoDBDocumentClient.from(dynamo);
  const remaining = new Set<string>();
  for (const [place, { table: TableName, key: Key }] of deletedItems(changes)) {
    const { Item } = await client.send(new GetCommand({ TableName, Key, ConsistentRead: true }));
    if (Item !== undefined) remaining.add(place);
  }
  const { undone, restored } = findTorn(changes, since, remaining);
  tell(undone);
  for (const one of restored) await restore(client, one);
  return undone;
}

async function restore(client: DynamoDBDocumentClient, { table: TableName, key, now, item }: Restored) {
  if (isDeepStrictEqual(now, item)) return;
  const stamp = now?.[writtenWith];
  const unchanged = {
    ConditionExpression: stamp === undefined ? "attribute_not_exists(#stamp)" : "#stamp = :stamp",
    ExpressionAttributeNames: { "#stamp": writtenWith },
    ...(stamp !== undefined && { ExpressionAttributeValues: { ":stamp": stamp } }),
  };
  if (item !== undefined) {
    await client.send(new PutCommand({ TableName, Item: item, ...unchanged }));
    return;
  }
  const isTomb = now?.[tomb] === true;
  if (!isTomb) await client.send(new PutCommand({ TableName, Item: { ...key, [tomb]: true }, ...unchanged }));
  await client.send(new DeleteCommand({ TableName, Key: key }));
}

/** In a row, after which nothing more is taken to be there: nothing writes. */
const emptyAnswers = 10;

/** All that the table's stream still has, shard by shard: each item's in its order. */
async function* readChanges(streams: DynamoDBStreamsClient, TableName: string): AsyncGenerator<Change> {
  const { Streams: [stream] = [] } = await streams.send(new ListStreamsCommand({ TableName }));
  if (stream?.StreamArn === undefined) throw new Error(`${TableName} has no stream.`);
  const { StreamArn } = stream;
  for (const { ShardId } of await listShards(streams, StreamArn)) {
    const start = { StreamArn, ShardId, ShardIteratorType: "TRIM_HORIZON" } as const;
    for await (const { dynamodb = {} } of readShard(streams, start, emptyAnswers)) {
      const { Keys = {}, OldImage, NewImage, ApproximateCreationDateTime: at = new Date() } = dynamodb;
      yield { table: TableName, key: toItem(Keys), at, before: image(OldImage), after: image(NewImage) };
    }
  }
}

type Image = Parameters<typeof unmarshall>[0];
const toItem = (from: unknown): Item => unmarshall(from as Image);
const image = (from: unknown) => (from === undefined ? undefined : toItem(from));

/** Parents before children. */
async function listShards(streams: DynamoDBStreamsClient, StreamArn: string): Promise<Shard[]> {
  const all: Shard[] = [];
  let ExclusiveStartShardId: string | undefined;
  do {
    const command = new DescribeStreamCommand({ StreamArn, ExclusiveStartShardId });
    const { StreamDescription } = await streams.send(command);
    all.push(...(StreamDescription?.Shards ?? []));
    ExclusiveStartShardId = StreamDescription?.LastEvaluatedShardId;
  } while (ExclusiveStartShardId !== undefined);
  return all.toSorted((left, right) => ((left.ShardId ?? "") < (right.ShardId ?? "") ? -1 : 1));
}
