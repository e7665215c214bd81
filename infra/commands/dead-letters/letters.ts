import {
  ChangeMessageVisibilityCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
} from "@aws-sdk/client-sqs";
import * as z from "zod";
import { parseJson } from "../../command-line/connection-file.ts";
import { type Source, sources } from "./sources.ts";
import { findDeadLetters, type Target } from "./target.ts";

/** What a person may see of a dead letter: owner and failure, never content. */
interface Letter {
  readonly messageId: string;
  /** The event's kind, or `callback`, `stream batch`, `unreadable`. */
  readonly kind: string;
  /** Each is named by its path in the message. */
  readonly ids: Readonly<Record<string, string | number>>;
  readonly sentAt: string;
  readonly receives: number;
  readonly bytes: number;
  /** If known. Otherwise the consumer's log has it under the message's id. */
  readonly failure?: Readonly<Record<string, string | number>>;
}

export const StreamBatch = z.object({
  requestContext: z.object({
    functionArn: z.string(),
    condition: z.string(),
    approximateInvokeCount: z.number(),
  }),
  responseContext: z.object({ functionError: z.string().nullish() }).optional(),
  DDBStreamBatchInfo: z.object({
    streamArn: z.string(),
    shardId: z.string(),
    startSequenceNumber: z.string(),
    endSequenceNumber: z.string(),
    batchSize: z.number(),
  }),
});
export type StreamBatch = z.output<typeof StreamBatch>;

export function readLetter(message: Message): Letter {
  const { MessageId = "", Body = "", Attributes = {} } = message;
  const body = parseJson(Body);
  const batch = StreamBatch.safeParse(body);
  const failure = batch.success ? streamFailure(batch.data) : targetFailure(message);
  return {
    messageId: MessageId,
    kind: batch.success ? "stream batch" : readKind(body),
    ids: batch.success ? batchIds(batch.data) : Object.fromEntries(identifiersIn(body)),
    sentAt: new Date(Number(Attributes.SentTimestamp ?? 0)).toISOString(),
    receives: Number(Attributes.ApproximateReceiveCount ?? 0),
    bytes: Buffer.byteLength(Body),
    ...(failure && { failure }),
  };
}

const word = /^[a-z][a-z0-9._-]{0,63}$/;

function readKind(body: unknown): string {
  if (!isObject(body)) return "unreadable";
  const { kind, detail, endpointId } = body;
  const named = [kind, body["detail-type"], isObject(detail) ? detail.kind : undefined];
  const found = named.find((each) => typeof each === "string" && word.test(each));
  return typeof found === "string" ? found : endpointId === undefined ? "unreadable" : "callback";
}

const identifier = /^[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26}$/;
/** External ids and counters, which only their names identify. */
const named = ["eventId", "authorizationId", "attempt", "deferrals"];
const deepest = 4;

/** Returns identifiers only: messages may also contain codes, names and addresses. */
function identifiersIn(value: unknown, place = "", depth = 0): [string, string | number][] {
  if (!isObject(value) || depth > deepest) return [];
  return Object.entries(value).flatMap(([name, inner]): [string, string | number][] => {
    const here = place === "" ? name : `${place}.${name}`;
    const isNamed =
      named.includes(name) && (typeof inner === "number" || /^[\w:.-]{1,128}$/.test(String(inner)));
    if (typeof inner === "string" && (isNamed || identifier.test(inner))) return [[here, inner]];
    if (typeof inner === "number" && isNamed) return [[here, inner]];
    return identifiersIn(inner, here, depth + 1);
  });
}

function batchIds({ DDBStreamBatchInfo }: StreamBatch): Letter["ids"] {
  const { shardId, startSequenceNumber, endSequenceNumber, batchSize } = DDBStreamBatchInfo;
  return { shardId, startSequenceNumber, endSequenceNumber, batchSize };
}

function streamFailure({ requestContext, responseContext }: StreamBatch): Letter["failure"] {
  const { condition, approximateInvokeCount: attempts } = requestContext;
  const { functionError } = responseContext ?? {};
  return { condition, attempts, ...(functionError && { functionError }) };
}

/** Attributes that EventBridge adds to a message it could not deliver. */
function targetFailure({ MessageAttributes = {} }: Message): Letter["failure"] {
  const said = Object.entries({ code: "ERROR_CODE", message: "ERROR_MESSAGE", attempts: "RETRY_ATTEMPTS" })
    .map(([name, attribute]) => [name, MessageAttributes[attribute]?.StringValue] as const)
    .filter((each): each is [string, string] => each[1] !== undefined);
  return said.length > 0 ? Object.fromEntries(said) : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

export async function countLetters(target: Target) {
  return Promise.all(
    sources.map(async (queue) => {
      const { Attributes = {} } = await target.sqs.send(
        new GetQueueAttributesCommand({
          QueueUrl: await findDeadLetters(target, queue),
          AttributeNames: ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"],
        }),
      );
      return {
        queue,
        messages: Number(Attributes.ApproximateNumberOfMessages ?? 0),
        inFlight: Number(Attributes.ApproximateNumberOfMessagesNotVisible ?? 0),
      };
    }),
  );
}

export async function showLetters(target: Target, source: Source, limit: number): Promise<Letter[]> {
  const letters: Letter[] = [];
  await eachLetter(target, source, async (message) => {
    letters.push(readLetter(message));
    return letters.length < limit ? "keep" : "stop";
  });
  return letters;
}

/** `gone`: deleted. `keep`: stays in the queue. `stop`: stays, and the loop ends. */
type Verdict = "gone" | "keep" | "stop";

/** Longer than handling ten messages takes, so that none is visited twice. */
const lookSeconds = 120;

/** Visits each dead letter of a queue once, then makes the remaining ones visible again. */
export async function eachLetter(
  target: Target,
  source: Source,
  look: (message: Message, queueUrl: string) => Promise<Verdict>,
): Promise<void> {
  const QueueUrl = await findDeadLetters(target, source);
  const taken = new Set<string | undefined>();
  try {
    for (;;) {
      const { Messages = [] } = await target.sqs.send(
        new ReceiveMessageCommand({
          QueueUrl,
          MaxNumberOfMessages: 10,
          WaitTimeSeconds: 1,
          VisibilityTimeout: lookSeconds,
          MessageSystemAttributeNames: ["All"],
          MessageAttributeNames: ["All"],
        }),
      );
      if (Messages.length === 0) return;
      for (const { ReceiptHandle } of Messages) taken.add(ReceiptHandle);
      for (const message of Messages) {
        const verdict = await look(message, QueueUrl);
        if (verdict === "gone") taken.delete(message.ReceiptHandle);
        if (verdict === "stop") return;
      }
    }
  } finally {
    for (const ReceiptHandle of taken) {
      const release = new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 });
      // If this fails, the message becomes visible after its timeout.
      await target.sqs.send(release).catch(() => undefined);
    }
  }
}
