import { readSources, type SourceProperties } from "../events/source-properties.ts";
import type { Assembly } from "../interfaces.ts";
import type { AccessControl } from "./access-control.ts";
import type { AccessRequest } from "./policy.ts";
import { asking, decrypting } from "./requested.ts";

const ofQueue = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"];
const ofStream = ["GetRecords", "GetShardIterator", "DescribeStream", "ListStreams"].map(
  (action) => `dynamodb:${action}`,
);

/**
 * Asks for what Lambda asks for before it makes an event source mapping: it reads the source, and puts aside what it gives up, in the function's
 * name. Without them a deployment fails.
 *
 * @throws AccessDenied
 */
export function requireSourceRights(assembly: Assembly, access: AccessControl): void {
  const { streams, queues } = readSources(assembly);
  for (const source of [...streams, ...queues]) {
    const functionName = assembly.byArn(source.functionArn)?.physicalName ?? "";
    access.require(functionName, requestedFor(source, assembly));
  }
}

function requestedFor({ sourceArn, failureQueue }: SourceProperties, assembly: Assembly): AccessRequest[] {
  const tableArn = sourceArn.replace(/\/stream\/.*$/, "");
  const isStream = tableArn !== sourceArn;
  const givenUp = assembly
    .ofType("AWS::SQS::Queue")
    .filter(({ physicalName }) => physicalName === failureQueue);
  return [
    ...(isStream ? ofStream : ofQueue).map((action) => asking(action, sourceArn)),
    ...(isStream ? decrypting("dynamodb", tableArn, assembly) : []),
    ...givenUp.map(({ arn }) => asking("sqs:SendMessage", arn)),
  ];
}
