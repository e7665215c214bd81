import type { SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import { fileAttempts } from "../../shared/contract/file-report.ts";
import { environment } from "../../shared/platform/environment.ts";
import { log } from "../../shared/platform/log.ts";
import { createdObject } from "../../shared/platform/object-created.ts";
import { consumeBatch } from "../../shared/platform/queue/consume-batch.ts";
import { sendMessages } from "../../shared/platform/queue/send-messages.ts";
import { nextStep } from "../../shared/platform/queue/steps.ts";
import { type Formats, noteFailure, toFedFile } from "./file-format.ts";
import { processFile } from "./process-file.ts";

/** S3's event, and how often it has come back to the queue. */
interface Message {
  readonly steps?: number;
}

/** The same message goes back to the queue until the file is done. */
export function consumeFiles(event: SQSEvent, formats: Formats): Promise<SQSBatchResponse> {
  return consumeBatch(event, (record) => consume(record, formats));
}

async function consume(record: SQSRecord, formats: Formats): Promise<void> {
  const event = JSON.parse(record.body) as Message;
  const file = toFedFile(event);
  if (!file) {
    log.warn("An object is no file of a known kind, and stays where it is.", {
      file: createdObject(event).key,
    });
    return;
  }
  const attempt = Number(record.attributes.ApproximateReceiveCount ?? 1);
  // This one may end without an answer, as those before did.
  if (attempt >= fileAttempts) await noteFailure(file, attempt);
  const steps = nextStep(event.steps);
  const isDone = await processFile(file, formats).catch(async (error: unknown) => {
    await noteFailure(file, attempt, error);
    throw error;
  });
  if (!isDone) await sendMessages(environment.filesQueueUrl, [{ body: { ...event, steps } }]);
}
