import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
} from "@aws-sdk/client-dynamodb-streams";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { Connection } from "../../infra/development/connection.ts";
import { StoredEvent } from "../../shared/platform/outbox/carried-event.ts";

export const local = {
  region: "eu-west-1",
  credentials: { accessKeyId: "local", secretAccessKey: "local" },
};

/** By the shards of the table's stream, oldest first. */
export async function outboxRecords({ endpoint, issuingTable }: Connection["store"]) {
  const streams = new DynamoDBStreamsClient({ ...local, endpoint });
  const { Streams } = await streams.send(new ListStreamsCommand({ TableName: issuingTable }));
  const StreamArn = Streams?.[0]?.StreamArn;
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
  const shards = [];
  for (const { ShardId } of StreamDescription?.Shards ?? []) {
    const from = { StreamArn, ShardId, ShardIteratorType: "TRIM_HORIZON" } as const;
    const { ShardIterator } = await streams.send(new GetShardIteratorCommand(from));
    const { Records = [] } = await streams.send(new GetRecordsCommand({ ShardIterator }));
    const items = Records.filter(
      ({ dynamodb }) => dynamodb?.Keys?.sk?.S === "OUTBOX" || dynamodb?.NewImage?.outbox,
    );
    shards.push({
      shardId: ShardId,
      numbers: items.map((record) => record.dynamodb?.SequenceNumber),
      kinds: items.map(({ dynamodb }) => {
        const image = dynamodb?.NewImage as Parameters<typeof unmarshall>[0] | undefined;
        return StoredEvent.safeParse(image && unmarshall(image)).data?.kind;
      }),
    });
  }
  streams.destroy();
  return shards;
}
