import { join } from "node:path";
import { type DnsServer, startDnsThread, type Zone } from "./dns.ts";
import { type AwsEndpoint, openAwsEndpoint } from "./endpoint/aws-endpoint.ts";
import { type DynamoEngine, startDynamo } from "./engines/dynamo.ts";
import { type SqsEngine, startSqs } from "./engines/sqs.ts";
import { workerScript } from "./execution-environment.ts";
import type { Clock, SeededThread } from "./interfaces.ts";

export type { Zone };

export interface Services {
  dynamo: DynamoEngine;
  sqs: SqsEngine;
  dns: Omit<DnsServer, "setAnswering">;
  aws: AwsEndpoint;
}

export interface ServicesOptions {
  directory: string;
  dynamodb: string;
  zone: Zone;
  clock: Pick<Clock, "sharedOffset">;
  onFailure?(error: Error): void;
  queues?: SeededThread | undefined;
}

/** Starts everything in parallel. `stack` stops it, also if one part fails to start. */
export async function startServices(
  options: ServicesOptions,
  stack: AsyncDisposableStack,
): Promise<Services> {
  const { directory, dynamodb: choice, zone, clock, onFailure, queues: seeded } = options;
  const withStop = async <Part extends { stop(): Promise<void> }>(starting: Promise<Part>): Promise<Part> => {
    const part = await starting;
    stack.defer(() => part.stop());
    return part;
  };
  const [dynamo, sqs, dns, aws] = await waitForAll([
    withStop(startDynamo({ directory: join(directory, "dynamodb"), choice, onFailure })),
    withStop(startSqs({ directory: join(directory, "sqs"), clock, onFailure, seeded })),
    withStop(startDnsThread(zone)),
    withStop(openAwsEndpoint()),
    workerScript(),
  ]);
  return { dynamo, sqs, dns, aws };
}

/** Waits for all parts even if one fails, so that nothing starts during the clean-up. */
export async function waitForAll<Parts extends readonly unknown[] | []>(
  parts: Parts,
): Promise<{ -readonly [Index in keyof Parts]: Awaited<Parts[Index]> }> {
  await Promise.allSettled(parts);
  return Promise.all(parts);
}
