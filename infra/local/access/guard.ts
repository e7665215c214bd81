import { createHmac, randomBytes } from "node:crypto";
import { readSources, type SourceProperties } from "../events/source-properties.ts";
import type { Services } from "../start-services.ts";
import type { Assembly } from "../template.ts";
import { type AccessControl, toFunctionName } from "./access-control.ts";
import { toChecked } from "./checked-calls.ts";
import type { AccessRequest } from "./policy.ts";
import { decryptRequests, type Resources, toRequest } from "./requested.ts";

const servedHere = ["EVENTBRIDGE", "SECRETS_MANAGER", "KMS", "LAMBDA", "API_GATEWAY"];

/** Points a function's SDK to the services, by way of its thread's checks. */
export function serviceAddresses({ dynamo, sqs, aws }: Services): Record<string, string> {
  const others = toChecked(aws.endpoint);
  return {
    AWS_ENDPOINT_URL: others,
    AWS_ENDPOINT_URL_DYNAMODB: toChecked(dynamo.endpoint),
    AWS_ENDPOINT_URL_SQS: toChecked(sqs.endpoint),
    ...Object.fromEntries(servedHere.map((service) => [`AWS_ENDPOINT_URL_${service}`, others])),
  };
}

/**
 * It ends with this run: who learns an access key from a presigned URL can sign nothing with it.
 */
const secretOfThisRun = randomBytes(32);

/** Undefined for a key that is no function's. */
export function toSecretKey(accessKeyId: string): string | undefined {
  if (toFunctionName(accessKeyId) === "") return undefined;
  return createHmac("sha256", secretOfThisRun).update(accessKeyId).digest("base64url");
}

const queueActions = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"];
const streamActions = ["GetRecords", "GetShardIterator", "DescribeStream", "ListStreams"].map(
  (action) => `dynamodb:${action}`,
);

/** Without these permissions, Lambda rejects an event source mapping. Throws AccessDenied. */
export function requireSourcePermissions(assembly: Assembly, access: AccessControl): void {
  const { streams, queues } = readSources(assembly);
  for (const source of [...streams, ...queues]) {
    access.require(source.functionName, sourceRequests(source, assembly, access.rules.resources));
  }
}

function sourceRequests(
  { sourceArn, failureQueue }: SourceProperties,
  assembly: Assembly,
  resources: Resources,
): AccessRequest[] {
  const tableArn = sourceArn.replace(/\/stream\/.*$/, "");
  const isStream = tableArn !== sourceArn;
  const failureQueues = assembly
    .ofType("AWS::SQS::Queue")
    .filter(({ physicalName }) => physicalName === failureQueue);
  return [
    ...(isStream ? streamActions : queueActions).map((action) => toRequest(action, sourceArn)),
    ...(isStream ? decryptRequests("dynamodb", tableArn, resources) : []),
    ...failureQueues.map(({ arn }) => toRequest("sqs:SendMessage", arn)),
  ];
}
