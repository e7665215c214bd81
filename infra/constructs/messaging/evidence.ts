import { Duration, Stack } from "aws-cdk-lib";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import { Construct } from "constructs";
import { acknowledgeObjects } from "../acknowledge.ts";
import type { FunctionFactory } from "../function-factory.ts";
import { grantUploads } from "../grants.ts";
import { addObjectRule } from "./object-rule.ts";
import { WorkQueue } from "./work-queue.ts";

export const evidenceArnOutput = "PublishOutputFnGetAttEvidence4CC26D68ArnBA400768";

export interface EvidenceProps {
  readonly functions: FunctionFactory;
  readonly bucket: Bucket;
}

/** Checks what customers upload for their disputes. */
export class Evidence extends Construct {
  constructor(scope: Construct, id: string, { functions, bucket }: EvidenceProps) {
    super(scope, id);
    const { settings, alarms } = functions.props;
    // It reads, hashes and writes up to 10 MB.
    const timeout = Duration.seconds(30);
    const consumer = functions.ofPrograms(
      "EvidenceFunction",
      "evidence",
      "Checks the evidence that is uploaded for disputes.",
      { timeout, environment: { EVIDENCE_BUCKET: bucket.bucketName, EVIDENCE_LOCK: settings.objectLock } },
    );
    const queue = new WorkQueue(Stack.of(this), "Evidence", {
      queueName: `card-issuing-${settings.name}-evidence`,
      settings,
      alarms,
      consumer,
      consumerTimeout: timeout,
      concurrency: settings.queueConcurrency,
      // Each upload is in memory as a whole.
      batchSize: 1,
      impact: "Evidence of disputes stays pending, and is rejected after an hour and a half.",
    });
    consumer.addEnvironment("EVIDENCE_QUEUE_URL", queue.queue.queueUrl);
    queue.allowReturns();
    grantUploads(bucket, consumer);
    acknowledgeObjects(bucket, evidenceArnOutput, ["uploads", "evidence"], consumer);
    addObjectRule(this, "EvidencePut", {
      description: "Sends uploads of evidence to their queue.",
      bucket,
      prefix: "uploads/",
      queue,
    });
  }
}
