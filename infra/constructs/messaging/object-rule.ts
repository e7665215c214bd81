import { Stack } from "aws-cdk-lib";
import { EventBus, Rule } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";
import { acknowledge } from "../acknowledge.ts";
import type { ServiceFunction } from "../service-function.ts";
import type { WorkQueue } from "./work-queue.ts";

export interface ObjectRuleProps {
  readonly description: string;
  readonly bucket: Bucket;
  readonly prefix: string;
  readonly queue: WorkQueue;
}

/** Sends S3's events, which come by the default bus, to a queue. */
export function addObjectRule(scope: Construct, id: string, props: ObjectRuleProps): Rule {
  const { description, bucket, prefix, queue } = props;
  return new Rule(scope, id, {
    description,
    eventBus: EventBus.fromEventBusName(scope, "DefaultBus", "default"),
    eventPattern: {
      source: ["aws.s3"],
      detailType: ["Object Created"],
      detail: { bucket: { name: [bucket.bucketName] }, object: { key: [{ prefix }] } },
    },
    targets: [new SqsQueue(queue.queue, { deadLetterQueue: queue.deadLetters })],
  });
}

/** A bucket of another stack has the name of the output that its ARN is read from. */
export function acknowledgeObjects(
  bucket: Bucket,
  OutputName: string,
  folders: readonly string[],
  made: ServiceFunction,
) {
  const { stackName, region } = Stack.of(bucket);
  const output = { StackName: stackName, Region: region, OutputName };
  const arn = JSON.stringify({ "Fn::GetStackOutput": output });
  const reasons = folders.map((folder) => [
    `AwsSolutions-IAM5[Resource::${arn}/${folder}/*]`,
    "Files come at run time, so the template cannot name them.",
  ]);
  acknowledge(made.role ?? made, Object.fromEntries(reasons));
}
