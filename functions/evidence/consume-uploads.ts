import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { environment } from "../../shared/platform/environment.ts";
import { createdObject } from "../../shared/platform/object-created.ts";
import { consumeBatch } from "../../shared/platform/queue/consume-batch.ts";
import { sendMessages } from "../../shared/platform/queue/send-messages.ts";
import { nextStep } from "../../shared/platform/queue/steps.ts";
import { checkUpload } from "./check-upload.ts";

const longestWaitSeconds = 30;

/** S3's event, and how often it has come back to the queue. */
interface Upload {
  readonly waits?: number;
}

/** What is over its Program's share comes back, each time a second later. */
export function consumeUploads(event: SQSEvent): Promise<SQSBatchResponse> {
  return consumeBatch(event, async ({ body }) => {
    const upload = JSON.parse(body) as Upload;
    if (await checkUpload(createdObject(upload))) return;
    const waits = nextStep(upload.waits);
    const delaySeconds = Math.min(waits, longestWaitSeconds);
    await sendMessages(environment.evidenceQueueUrl, [{ body: { ...upload, waits }, delaySeconds }]);
  });
}
