import {
  type _Record,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type GetShardIteratorCommandInput,
} from "@aws-sdk/client-dynamodb-streams";

/** A stream's records from there on. An open shard ends with so many empty answers in a row. */
export async function* readShard(
  streams: DynamoDBStreamsClient,
  start: GetShardIteratorCommandInput,
  mostEmpty: number,
): AsyncGenerator<_Record> {
  let { ShardIterator } = await streams.send(new GetShardIteratorCommand(start));
  for (let empty = 0; ShardIterator !== undefined && empty < mostEmpty; ) {
    const { Records = [], NextShardIterator } = await streams.send(new GetRecordsCommand({ ShardIterator }));
    yield* Records;
    // An answer between records may be empty.
    empty = Records.length > 0 ? 0 : empty + 1;
    ShardIterator = NextShardIterator;
  }
}
