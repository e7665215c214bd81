import { setTimeout as delay } from "node:timers/promises";
import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
} from "@aws-sdk/client-dynamodb-streams";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { Agent, request } from "undici";

/** The pause after an empty poll. The platform waits as long at most. */
const pauseMs = 5;

/** What to post of a new item, and where to; undefined for nothing. */
type Posting = (
  item: Readonly<Record<string, unknown>>,
) => { readonly url: string; readonly body: string } | undefined;

export interface BareLoop {
  /** Begins to poll, from where the stream stood when the loop was made. */
  start(posting: Posting): void;
  stop(): Promise<void>;
}

/**
 * The baseline: polls the same stream and posts each record in turn. It has no signature, record or
 * retry, and is lost with its process.
 */
export async function makeBareLoop(table: string): Promise<BareLoop> {
  const streams = new DynamoDBStreamsClient();
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  const { Streams } = await streams.send(new ListStreamsCommand({ TableName: table }));
  const StreamArn = Streams?.[0]?.StreamArn;
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
  const iterators = await Promise.all(
    (StreamDescription?.Shards ?? []).map(async ({ ShardId }) => {
      const command = new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType: "LATEST" });
      return (await streams.send(command)).ShardIterator;
    }),
  );
  let stopping = false;
  let loop = Promise.resolve();

  const pollOnce = async (posting: Posting): Promise<boolean> => {
    let found = false;
    for (const [shard, ShardIterator] of iterators.entries()) {
      const answer = await streams.send(new GetRecordsCommand({ ShardIterator, Limit: 100 }));
      iterators[shard] = answer.NextShardIterator;
      for (const { eventName, dynamodb } of answer.Records ?? []) {
        found = true;
        const image = eventName === "INSERT" && dynamodb?.NewImage;
        const post = image && posting(unmarshall(image as Parameters<typeof unmarshall>[0]));
        if (!post || stopping) continue;
        const headers = { "content-type": "application/json" };
        const answered = await request(post.url, { method: "POST", body: post.body, headers, dispatcher });
        await answered.body.dump();
      }
    }
    return found;
  };
  return {
    start: (posting) => {
      loop = (async () => {
        while (!stopping) if (!(await pollOnce(posting))) await delay(pauseMs);
      })();
    },
    stop: async () => {
      stopping = true;
      await loop;
      await dispatcher.close();
      streams.destroy();
    },
  };
}
