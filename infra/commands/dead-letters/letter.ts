import type { Message } from "@aws-sdk/client-sqs";
import * as z from "zod";

/** What a person may see of a dead letter: whose it is and why it failed, never its content. */
export interface Letter {
  readonly messageId: string;
  /** The kind of its event, or `callback`, `stream batch`, `unreadable`. */
  readonly kind: string;
  /** By their paths in the message. */
  readonly ids: Readonly<Record<string, string | number>>;
  readonly sentAt: string;
  /** How often it was received, by its consumer and by people. */
  readonly receives: number;
  readonly bytes: number;
  /** If known; else the consumer's log has it by the message's id. */
  readonly failure?: Readonly<Record<string, string | number>>;
}

/** Lambda's record of a stream batch that it gave up. */
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
  const body = jsonOf(Body);
  const batch = StreamBatch.safeParse(body);
  const failure = batch.success ? streamFailure(batch.data) : targetFailure(message);
  return {
    messageId: MessageId,
    kind: batch.success ? "stream batch" : kindOf(body),
    ids: batch.success ? batchIds(batch.data) : Object.fromEntries(identifiersIn(body)),
    sentAt: new Date(Number(Attributes.SentTimestamp ?? 0)).toISOString(),
    receives: Number(Attributes.ApproximateReceiveCount ?? 0),
    bytes: Buffer.byteLength(Body),
    ...(failure && { failure }),
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const word = /^[a-z][a-z0-9._-]{0,63}$/;

function kindOf(body: unknown): string {
  if (!isObject(body)) return "unreadable";
  const { kind, detail, endpointId } = body;
  const named = [kind, body["detail-type"], isObject(detail) ? detail.kind : undefined];
  const found = named.find((each) => typeof each === "string" && word.test(each));
  return typeof found === "string" ? found : endpointId === undefined ? "unreadable" : "callback";
}

const identifier = /^[a-z]{3}_[0-9A-HJKMNP-TV-Z]{26}$/;
/** Ids that others have given, and counters: they are recognized by their names. */
const named = ["eventId", "authorizationId", "attempt", "deferrals"];
const deepest = 4;

/** Only identifiers: a message may also hold codes, names and addresses. */
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

/** EventBridge's attributes of a message that it could not deliver. */
function targetFailure({ MessageAttributes = {} }: Message): Letter["failure"] {
  const said = Object.entries({ code: "ERROR_CODE", message: "ERROR_MESSAGE", attempts: "RETRY_ATTEMPTS" })
    .map(([name, attribute]) => [name, MessageAttributes[attribute]?.StringValue] as const)
    .filter((each): each is [string, string] => each[1] !== undefined);
  return said.length > 0 ? Object.fromEntries(said) : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
