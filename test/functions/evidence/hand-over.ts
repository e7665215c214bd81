import type { Context, SQSBatchResponse } from "aws-lambda";
import { handler } from "../../../functions/evidence/handler.ts";

const context = { getRemainingTimeInMillis: () => 30_000 } as Context;

/** Gives the check S3's event. True if the message is done with. */
export async function handOver(message: unknown): Promise<boolean> {
  const record = { messageId: "1", body: JSON.stringify(message), attributes: {} };
  const invoke = handler as (event: unknown, context: Context) => Promise<SQSBatchResponse>;
  return (await invoke({ Records: [record] }, context)).batchItemFailures.length === 0;
}
