import { DynamoDBStreamsClient, ListStreamsCommand } from "@aws-sdk/client-dynamodb-streams";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { GetQueueUrlCommand, SQSClient } from "@aws-sdk/client-sqs";
import { localCredentials, readConnection } from "../running-platform.ts";

/** The work queues, and the consumers of the table's stream. Each has a dead-letter queue of its own. */
export const sources = [
  "processor-events",
  "webhook-events",
  "callback-delivery",
  "callback-detour",
  "alert-delivery",
  "outbox-relay",
  "list-indexer",
] as const;
export type Source = (typeof sources)[number];

/** Those that read the table's stream: there is no queue to put a message back into. */
export const streamSources: ReadonlySet<Source> = new Set(["outbox-relay", "list-indexer"]);

/** @throws Error for what is no source of dead letters */
export function toSource(word: string | undefined): Source {
  const source = sources.find((each) => each === word);
  if (source === undefined)
    throw new Error(`The queue is "${word ?? ""}"; it must be one of ${sources.join(", ")}.`);
  return source;
}

/** Where an environment's queues, functions and streams are reached. */
export interface Target {
  readonly environment: string;
  readonly sqs: SQSClient;
  readonly lambda: LambdaClient;
  readonly streams: DynamoDBStreamsClient;
  /** A queue's address for this client. */
  readonly reachable: (url: string) => string;
  /** A stream's ARN for this client. */
  readonly streamArn: (arn: string) => Promise<string>;
}

/** A deployed environment with the caller's own AWS credentials, or the platform on this machine. */
export async function targetOf(environment: string): Promise<Target> {
  if (environment === "local") return runningHere();
  // The settings load the CDK, which a local command should not wait for.
  const { settingsOf, toEnvironmentName } = await import("../../environments.ts");
  const { region } = settingsOf(toEnvironmentName(environment));
  return {
    environment,
    sqs: new SQSClient({ region, useQueueUrlAsEndpoint: false }),
    lambda: new LambdaClient({ region }),
    streams: new DynamoDBStreamsClient({ region }),
    reachable: (url) => url,
    streamArn: async (arn) => arn,
  };
}

function runningHere(): Target {
  const { operatorUrl, processorQueueUrl, store } = readConnection();
  const { origin } = new URL(processorQueueUrl);
  const common = { region: store.region, credentials: localCredentials };
  const streams = new DynamoDBStreamsClient({ ...common, endpoint: store.endpoint });
  return {
    environment: "local",
    sqs: new SQSClient({ ...common, endpoint: origin }),
    lambda: new LambdaClient({ ...common, endpoint: new URL(operatorUrl).origin }),
    streams,
    // The engines have names of their own: another host, and another label of the stream.
    reachable: (url) => origin + new URL(url).pathname,
    streamArn: async (arn) => {
      const TableName = /:table\/([^/]+)/.exec(arn)?.[1];
      const { Streams } = await streams.send(new ListStreamsCommand({ TableName }));
      return Streams?.[0]?.StreamArn ?? arn;
    },
  };
}

/** @throws Error QueueDoesNotExist */
export async function urlOf({ sqs, environment, reachable }: Target, queue: string): Promise<string> {
  const QueueName = `card-issuing-${environment}-${queue}`;
  const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName }));
  if (QueueUrl === undefined) throw new Error(`There is no queue ${QueueName}.`);
  return reachable(QueueUrl);
}

export function deadLettersOf(target: Target, source: Source): Promise<string> {
  return urlOf(target, `${source}-dead-letters`);
}
