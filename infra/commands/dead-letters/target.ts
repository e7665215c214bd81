import { DynamoDBStreamsClient, ListStreamsCommand } from "@aws-sdk/client-dynamodb-streams";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { GetQueueUrlCommand, SQSClient } from "@aws-sdk/client-sqs";
import { localCredentials, readConnection } from "../../command-line/connection.ts";
import { readWritingSettings } from "../deployed-store.ts";
import type { Source } from "./sources.ts";

export interface Target {
  readonly environment: string;
  /** What has the clock of the platform on this machine. */
  readonly controlUrl?: string;
  readonly sqs: SQSClient;
  readonly lambda: LambdaClient;
  readonly streams: DynamoDBStreamsClient;
  readonly reachable: (url: string) => string;
  readonly streamArn: (arn: string) => Promise<string>;
}

export async function findTarget(environment: string): Promise<Target> {
  if (environment === "local") return runningHere();
  const { region } = await readWritingSettings(environment);
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
  const { operatorUrl, controlUrl, processorQueueUrl, store } = readConnection();
  const { origin } = new URL(processorQueueUrl);
  const common = { region: store.region, credentials: localCredentials };
  const streams = new DynamoDBStreamsClient({ ...common, endpoint: store.endpoint });
  return {
    environment: "local",
    controlUrl,
    sqs: new SQSClient({ ...common, endpoint: origin }),
    lambda: new LambdaClient({ ...common, endpoint: new URL(operatorUrl).origin }),
    streams,
    // Local engines use other hosts and other stream labels.
    reachable: (url) => origin + new URL(url).pathname,
    streamArn: async (arn) => {
      const TableName = /:table\/([^/]+)/.exec(arn)?.[1];
      const { Streams } = await streams.send(new ListStreamsCommand({ TableName }));
      return Streams?.[0]?.StreamArn ?? arn;
    },
  };
}

/** Throws QueueDoesNotExist. */
export async function findQueueUrl({ sqs, environment, reachable }: Target, queue: string): Promise<string> {
  const QueueName = `card-issuing-${environment}-${queue}`;
  const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName }));
  if (QueueUrl === undefined) throw new Error(`The queue ${QueueName} does not exist.`);
  return reachable(QueueUrl);
}

export function findDeadLetters(target: Target, source: Source): Promise<string> {
  return findQueueUrl(target, `${source}-dead-letters`);
}
