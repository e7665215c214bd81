import { EventBus, Rule } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import type { Construct } from "constructs";
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
