import { join } from "node:path";
import { allOf } from "./all-of.ts";
import { DEMO_ZONE, type DnsServer } from "./dns.ts";
import { startDnsThread } from "./dns-thread.ts";
import { type AwsEndpoint, openAwsEndpoint } from "./endpoint/aws-endpoint.ts";
import { type DynamoEngine, startDynamo } from "./engines/dynamo.ts";
import { type SqsEngine, startSqs } from "./engines/sqs.ts";
import type { Clock } from "./interfaces.ts";

/** What the functions find around them: the engines, names, and what there is of AWS beside. */
export interface Surroundings {
  dynamo: DynamoEngine;
  sqs: SqsEngine;
  dns: DnsServer;
  aws: AwsEndpoint;
}

export interface SurroundingsOptions {
  directory: string;
  dynamodb: string;
  clock: Pick<Clock, "sharedOffset">;
  onFailure?(error: Error): void;
}

/** Starts them side by side; the stack stops them, also those that had started when another one failed. */
export async function startSurroundings(
  options: SurroundingsOptions,
  stack: AsyncDisposableStack,
): Promise<Surroundings> {
  const { directory, dynamodb: choice, clock, onFailure } = options;
  const kept = async <Part extends { stop(): Promise<void> }>(starting: Promise<Part>): Promise<Part> => {
    const part = await starting;
    stack.defer(() => part.stop());
    return part;
  };
  const startKeptDynamo = async () => {
    const dynamo = await kept(startDynamo({ directory: join(directory, "dynamodb"), choice, onFailure }));
    endWithProcess(dynamo, stack);
    return dynamo;
  };
  const [dynamo, sqs, dns, aws] = await allOf([
    startKeptDynamo(),
    kept(startSqs({ directory: join(directory, "sqs"), clock, onFailure })),
    kept(startDnsThread(DEMO_ZONE)),
    kept(openAwsEndpoint()),
  ]);
  return { dynamo, sqs, dns, aws };
}

/** The engine's own process would outlive one that calls `process.exit`. */
function endWithProcess(dynamo: DynamoEngine, stack: AsyncDisposableStack): void {
  const end = () => {
    const pid = dynamo.pid();
    try {
      if (pid !== undefined && pid > 0) process.kill(pid, "SIGKILL");
    } catch {
      // It has ended already.
    }
  };
  process.once("exit", end);
  stack.defer(() => void process.off("exit", end));
}

/** Where the SDK in the functions finds each service; one that nobody serves here is refused here, not asked outside. */
export function functionEndpoints(at: {
  readonly dynamodb: string;
  readonly queues: string;
  readonly others: string;
}): Record<string, string> {
  return {
    AWS_ENDPOINT_URL: at.others,
    AWS_ENDPOINT_URL_DYNAMODB: at.dynamodb,
    AWS_ENDPOINT_URL_SQS: at.queues,
    AWS_ENDPOINT_URL_EVENTBRIDGE: at.others,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: at.others,
    AWS_ENDPOINT_URL_KMS: at.others,
    AWS_ENDPOINT_URL_LAMBDA: at.others,
    AWS_ENDPOINT_URL_API_GATEWAY: at.others,
  };
}
