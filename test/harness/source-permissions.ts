import type { UsedGrant } from "../../infra/local/access/access-control.ts";
import { type AccessRequest, decide } from "../../infra/local/access/policy.ts";
import { readRules } from "../../infra/local/access/read-policies.ts";
import { decryptRequests, type Resources, toRequest } from "../../infra/local/access/requested.ts";
import { readSources, type SourceProperties } from "../../infra/local/events/source-properties.ts";
import type { Assembly } from "../../infra/local/template.ts";

const queueActions = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"];
const streamActions = ["GetRecords", "GetShardIterator", "DescribeStream", "ListStreams"].map(
  (action) => `dynamodb:${action}`,
);

/** By which Lambda reads functions' sources. Throws where one lacks: Lambda rejects the mapping. */
export function sourceGrants(assembly: Assembly): UsedGrant[] {
  const { roles, resources } = readRules(assembly);
  const { streams, queues } = readSources(assembly);
  return [...streams, ...queues].flatMap((source) => {
    const { functionName } = source;
    const statements = roles.get(functionName)?.statements ?? [];
    return sourceRequests(source, assembly, resources).map((request) => {
      const decision = decide(statements, request);
      if (decision.allowed) return { functionName, ...decision.grant };
      throw new Error(`${functionName} has no right to ${request.action} on ${request.resource}`);
    });
  });
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
