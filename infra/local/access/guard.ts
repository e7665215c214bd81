import { readSources, type SourceProperties } from "../events/source-properties.ts";
import type { FunctionSettings } from "../execution-environment.ts";
import { type Services, waitForAll } from "../start-services.ts";
import type { Assembly } from "../template.ts";
import type { AccessControl } from "./access-control.ts";
import { findDenial, startGuard } from "./guarded-connection.ts";
import type { AccessRequest } from "./policy.ts";
import { decryptRequests, toRequest } from "./requested.ts";

/** The services' addresses for functions. Each service has a guard. */
export interface Guards {
  /** Environment variables that point the SDK to the guards. */
  readonly endpoints: Record<
    "AWS_ENDPOINT_URL" | "AWS_ENDPOINT_URL_DYNAMODB" | "AWS_ENDPOINT_URL_SQS",
    string
  >;
  /** Points a queue's URL to the guard. Returns other values unchanged. */
  readonly guarded: (value: string) => string;
}

/** Starts a guard per service. Calls to unsupported services never leave this machine. */
export async function startGuards(
  { dynamo, sqs, aws }: Services,
  access: AccessControl,
  stack: AsyncDisposableStack,
): Promise<Guards> {
  const before = async (endpoint: string) => {
    const guard = await startGuard(endpoint, (accessKeyId, call) => access.check(accessKeyId, call));
    stack.defer(() => guard.stop());
    return guard.url;
  };
  const [dynamodb, queues, others] = await waitForAll([
    before(dynamo.endpoint),
    before(sqs.endpoint),
    before(aws.endpoint),
  ]);
  const onOthers = ["EVENTBRIDGE", "SECRETS_MANAGER", "KMS", "LAMBDA", "API_GATEWAY"].map(
    (service) => [`AWS_ENDPOINT_URL_${service}`, others] as const,
  );
  return {
    endpoints: {
      AWS_ENDPOINT_URL: others,
      AWS_ENDPOINT_URL_DYNAMODB: dynamodb,
      AWS_ENDPOINT_URL_SQS: queues,
      ...Object.fromEntries(onOthers),
    },
    guarded: (value) => value.replaceAll(sqs.endpoint, queues),
  };
}

/** What threads of functions ask before they send calls past the guards. */
export function decideDirectCalls(
  { dynamo, sqs, aws }: Services,
  { endpoints: { AWS_ENDPOINT_URL_DYNAMODB, AWS_ENDPOINT_URL_SQS, AWS_ENDPOINT_URL } }: Guards,
  access: AccessControl,
): FunctionSettings["direct"] {
  return {
    behind: {
      [AWS_ENDPOINT_URL_DYNAMODB]: dynamo.endpoint,
      [AWS_ENDPOINT_URL_SQS]: sqs.endpoint,
      [AWS_ENDPOINT_URL]: aws.endpoint,
    },
    decide: (call) => ({
      denial: findDenial(call, (accessKeyId, asked) => access.check(accessKeyId, asked)),
      isForAllPartitions: access.isForAllPartitions(call.accessKeyId, call),
    }),
  };
}

const queueActions = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"];
const streamActions = ["GetRecords", "GetShardIterator", "DescribeStream", "ListStreams"].map(
  (action) => `dynamodb:${action}`,
);

/** Without these permissions, Lambda rejects an event source mapping. Throws AccessDenied. */
export function requireSourcePermissions(assembly: Assembly, access: AccessControl): void {
  const { streams, queues } = readSources(assembly);
  for (const source of [...streams, ...queues]) {
    access.require(source.functionName, sourceRequests(source, assembly));
  }
}

function sourceRequests({ sourceArn, failureQueue }: SourceProperties, assembly: Assembly): AccessRequest[] {
  const tableArn = sourceArn.replace(/\/stream\/.*$/, "");
  const isStream = tableArn !== sourceArn;
  const failureQueues = assembly
    .ofType("AWS::SQS::Queue")
    .filter(({ physicalName }) => physicalName === failureQueue);
  return [
    ...(isStream ? streamActions : queueActions).map((action) => toRequest(action, sourceArn)),
    ...(isStream ? decryptRequests("dynamodb", tableArn, assembly) : []),
    ...failureQueues.map(({ arn }) => toRequest("sqs:SendMessage", arn)),
  ];
}
