import { CfnOutput, Duration } from "aws-cdk-lib";
import { EventBus, Rule } from "aws-cdk-lib/aws-events";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import { fileAttempts } from "../../../shared/contract/file-report.ts";
import type { FunctionFactory } from "../function-factory.ts";
import { WorkQueue } from "./work-queue.ts";

/** Applies the files that are put into their bucket. */
export function addFileIntake(functions: FunctionFactory) {
  const { stack, props } = functions;
  const bucket = props.data.buckets.files;
  const consumer = functions.make("FilesFunction", "files", "Applies files of acquirers and banks.", {
    // It hands a large file over to the next invocation long before.
    timeout: Duration.seconds(20),
    vault: "files",
  });
  const files = new WorkQueue(functions, "Files", {
    name: "files",
    consumer,
    batchSize: 1,
    attempts: fileAttempts,
    impact: "Clearing records or deposits of a file are not applied: balances lag behind.",
  });
  files.allowReturns("FILES_QUEUE_URL");
  const description = "Sends files that are put into the bucket to their queue.";
  addObjectRule(new Construct(stack, "FileIntake"), "FilePut", { description, bucket, prefix: "in/" }, files);
  new CfnOutput(stack, "FilesQueueUrl", { value: files.queue.queueUrl });
}

/** Checks what customers upload for their disputes. */
export function addEvidenceIntake(functions: FunctionFactory) {
  const { settings, data } = functions.props;
  const bucket = data.buckets.evidence;
  const consumer = functions.make(
    "EvidenceFunction",
    "evidence",
    "Checks the evidence that is uploaded for disputes.",
    {
      // It reads, hashes and writes up to 10 MB.
      timeout: Duration.seconds(30),
      environment: { EVIDENCE_LOCK: settings.objectLock },
    },
  );
  const evidence = new WorkQueue(functions, "Evidence", {
    name: "evidence",
    consumer,
    // Each upload is in memory as a whole.
    batchSize: 1,
    impact: "Evidence of disputes stays pending, and is rejected after an hour and a half.",
  });
  evidence.allowReturns("EVIDENCE_QUEUE_URL");
  const scope = new Construct(functions.stack, "EvidenceIntake");
  const description = "Sends uploads of evidence to their queue.";
  addObjectRule(scope, "EvidencePut", { description, bucket, prefix: "uploads/" }, evidence);
}

/** S3's events come by the default bus. */
function addObjectRule(
  scope: Construct,
  id: string,
  { description, bucket, prefix }: { description: string; bucket: Bucket; prefix: string },
  { target }: WorkQueue,
) {
  new Rule(scope, id, {
    description,
    eventBus: EventBus.fromEventBusName(scope, "DefaultBus", "default"),
    eventPattern: {
      source: ["aws.s3"],
      detailType: ["Object Created"],
      detail: { bucket: { name: [bucket.bucketName] }, object: { key: [{ prefix }] } },
    },
    targets: [target],
  });
}
