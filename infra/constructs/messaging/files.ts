import { CfnOutput, Duration, Stack } from "aws-cdk-lib";
import { EventBus, Rule } from "aws-cdk-lib/aws-events";
import { SqsQueue } from "aws-cdk-lib/aws-events-targets";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import { fileAttempts } from "../../../shared/contract/file-report.ts";
import { acknowledge } from "../acknowledge.ts";
import type { FunctionFactory } from "../function-factory.ts";
import { grantFiles, grantSend } from "../grants.ts";
import type { ServiceFunction } from "../service-function.ts";
import { WorkQueue } from "./work-queue.ts";

export interface FilesProps {
  readonly functions: FunctionFactory;
  readonly bucket: Bucket;
}

/** Applies the files that are put into the bucket. S3's events come by the default bus. */
export class Files extends Construct {
  constructor(scope: Construct, id: string, { functions, bucket }: FilesProps) {
    super(scope, id);
    const stack = Stack.of(this);
    const { settings, alarms } = functions.props;
    // It hands a large file over to the next invocation long before.
    const timeout = Duration.seconds(20);
    const consumer = functions.addVault(
      functions.bySettings("FilesFunction", "files", "Applies files of acquirers and banks.", {
        timeout,
        environment: { FILES_BUCKET: bucket.bucketName },
      }),
      "files",
    );
    const files = new WorkQueue(stack, "Files", {
      queueName: `card-issuing-${settings.name}-files`,
      removalPolicy: settings.removalPolicy,
      alarms,
      consumer,
      consumerTimeout: timeout,
      concurrency: settings.queueConcurrency,
      batchSize: 1,
      attempts: fileAttempts,
      impact: "Clearing records or deposits of a file are not applied: balances lag behind.",
    });
    consumer.addEnvironment("FILES_QUEUE_URL", files.queue.queueUrl);
    grantSend(files.queue, consumer);
    grantFiles(bucket, consumer);
    acknowledgeNames(bucket, consumer);
    new Rule(this, "FilePut", {
      description: "Sends files that are put into the bucket to their queue.",
      eventBus: EventBus.fromEventBusName(this, "DefaultBus", "default"),
      eventPattern: {
        source: ["aws.s3"],
        detailType: ["Object Created"],
        detail: { bucket: { name: [bucket.bucketName] }, object: { key: [{ prefix: "in/" }] } },
      },
      targets: [new SqsQueue(files.queue, { deadLetterQueue: files.deadLetters })],
    });
    new CfnOutput(stack, "FilesQueueUrl", { value: files.queue.queueUrl });
  }
}

/** The rule names a bucket of another stack by the output that it is read from. */
function acknowledgeNames(bucket: Bucket, consumer: ServiceFunction) {
  const { stackName, region } = Stack.of(bucket);
  const OutputName = "PublishOutputFnGetAttFiles8E6940B8ArnB90C6676";
  const output = { StackName: stackName, Region: region, OutputName };
  const arn = JSON.stringify({ "Fn::GetStackOutput": output });
  const reasons = ["in", "progress", "reports"].map((folder) => [
    `AwsSolutions-IAM5[Resource::${arn}/${folder}/*]`,
    "Files come at run time, so the template cannot name them.",
  ]);
  acknowledge(consumer.role ?? consumer, Object.fromEntries(reasons));
}
