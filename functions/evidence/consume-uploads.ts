import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import { createdObject } from "../../shared/platform/object-created.ts";
import { consumeBatch } from "../../shared/platform/queue/consume-batch.ts";
import { checkUpload } from "./check-upload.ts";

/** A message is S3's event. */
export function consumeUploads(event: SQSEvent): Promise<SQSBatchResponse> {
  return consumeBatch(event, ({ body }) => checkUpload(createdObject(JSON.parse(body))));
}
