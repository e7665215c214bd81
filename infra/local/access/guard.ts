import { readSources, type SourceProperties } from "../events/source-properties.ts";
import type { Services } from "../start-services.ts";
import type { Assembly } from "../template.ts";
import { type AccessControl, AccessDenied } from "./access-control.ts";
import { type Decided, toChecked } from "./checked-calls.ts";
import type { AccessRequest } from "./policy.ts";
import { type CheckedCall, headEnd } from "./read-call.ts";
import { decryptRequests, toRequest } from "./requested.ts";

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

/** Answers a function's thread, which asks before it sends a call. */
export function decideCall(access: AccessControl, call: CheckedCall): Decided {
  const isForAllPartitions = access.isForAllPartitions(call.accessKeyId, call);
  try {
    access.check(call.accessKeyId, call);
    return { denial: undefined, isForAllPartitions };
  } catch (error) {
    if (!(error instanceof AccessDenied)) throw error;
    return { denial: toDenial(error), isForAllPartitions };
  }
}

/** AWS's answer to a call that is not allowed, as HTTP. */
function toDenial({ name, message }: AccessDenied): string {
  const body = JSON.stringify({ __type: `com.amazon.coral.service#${name}`, Message: message, message });
  const lines = [
    "HTTP/1.1 400 Bad Request",
    "content-type: application/x-amz-json-1.0",
    `x-amzn-errortype: ${name}`,
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return `${lines.join("\r\n")}${headEnd}${body}`;
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
