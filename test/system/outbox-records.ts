import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
} from "@aws-sdk/client-dynamodb-streams";
import type { Connection } from "../../infra/development/connection.ts";

export const local = {
  region: "eu-west-1",
  credentials: { accessKeyId: "local", secretAccessKey: "local" },
};

/** From the first shard of the table's stream, oldest first. */
export async function outboxRecords({ endpoint, issuingTable }: Connection["store"]) {
  const streams = new DynamoDBStreamsClient({ ...local, endpoint });
  const { Streams } = await streams.send(new ListStreamsCommand({ TableName: issuingTable }));
  const StreamArn = Streams?.[0]?.StreamArn;
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
  const shardId = StreamDescription?.Shards?.[0]?.ShardId;
  const { ShardIterator } = await streams.send(
    new GetShardIteratorCommand({ StreamArn, ShardId: shardId, ShardIteratorType: "TRIM_HORIZON" }),
  );
  const { Records = [] } = await streams.send(new GetRecordsCommand({ ShardIterator }));
  streams.destroy();
  const items = Records.filter(
    ({ dynamodb }) => dynamodb?.Keys?.sk?.S === "OUTBOX" || dynamodb?.NewImage?.outbox,
  );
  return {
    shardId,
    numbers: items.map((record) => record.dynamodb?.SequenceNumber),
    kinds: items.map((record) => record.dynamodb?.NewImage?.kind?.S),
  };
}
