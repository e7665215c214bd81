import { CfnOutput, Duration, Stack } from "aws-cdk-lib";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import { fileAttempts } from "../../../shared/contract/file-report.ts";
import { acknowledgeObjects } from "../acknowledge.ts";
import type { FunctionFactory } from "../function-factory.ts";
import { grantFiles } from "../grants.ts";
import { addObjectRule } from "./object-rule.ts";
import { WorkQueue } from "./work-queue.ts";

/** The output of the bucket's ARN. */
export const filesArnOutput = "PublishOutputFnGetAttFiles8E6940B8ArnB90C6676";

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
      settings,
      alarms,
      consumer,
      consumerTimeout: timeout,
      concurrency: settings.queueConcurrency,
      batchSize: 1,
      attempts: fileAttempts,
      impact: "Clearing records or deposits of a file are not applied: balances lag behind.",
    });
    consumer.addEnvironment("FILES_QUEUE_URL", files.queue.queueUrl);
    files.allowReturns();
    grantFiles(bucket, consumer);
    acknowledgeObjects(bucket, filesArnOutput, ["in", "progress", "reports"], consumer);
    addObjectRule(this, "FilePut", {
      description: "Sends files that are put into the bucket to their queue.",
      bucket,
      prefix: "in/",
      queue: files,
    });
    new CfnOutput(stack, "FilesQueueUrl", { value: files.queue.queueUrl });
  }
}
