import { SendMessageBatchCommand, SQSClient } from "@aws-sdk/client-sqs";
import { environment } from "../environment.ts";
import { defined } from "../pick.ts";
import { writePlainJson } from "../plain-json.ts";
import { requestLimits } from "../request-limits.ts";
import { maxAttempts, shortenCalls } from "../short-calls.ts";

export interface OutgoingMessage {
  readonly body: unknown;
  /** SQS fair queues: a busy group delays no other. */
  readonly groupId?: string;
  /** Up to 15 minutes. */
  readonly delaySeconds?: number;
}

/** Four attempts for throttling, timeouts and 5xx. The endpoint comes from the SDK's settings. */
const queues = new SQSClient({
  useQueueUrlAsEndpoint: false,
  maxAttempts,
  // TLS has checked the bytes.
  md5: false,
  requestHandler: requestLimits(5_000),
});

writePlainJson(queues.config.protocol);
shortenCalls(queues);
queues.config.cacheMiddleware = environment.isFunction;
// They copy messages for a logger that is not there, and sign the SDK's version.
for (const name of ["loggerMiddleware", "getUserAgentMiddleware"]) queues.middlewareStack.remove(name);

/** Sends at most ten messages. Returns an error for each that was not sent. Never rejects. */
export async function sendBatch(
  queueUrl: string,
  batch: readonly OutgoingMessage[],
): Promise<(Error | undefined)[]> {
  const command = new SendMessageBatchCommand({
    QueueUrl: queueUrl,
    Entries: batch.map(({ body, groupId, delaySeconds }, index) => ({
      Id: String(index),
      MessageBody: JSON.stringify(body),
      ...defined({ MessageGroupId: groupId, DelaySeconds: delaySeconds }),
    })),
  });
  try {
    const { Failed = [] } = await queues.send(command);
    return batch.map((_, index) => {
      const failed = Failed.find(({ Id }) => Id === String(index));
      return failed && new Error(`The queue rejected a message: ${failed.Code} ${failed.Message}`);
    });
  } catch (error) {
    return batch.map(() => (error instanceof Error ? error : new Error(String(error))));
  }
}
