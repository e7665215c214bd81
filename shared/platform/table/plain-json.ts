import type { IncomingMessage } from "node:http";
import type { AttributeValue, DynamoDBClient } from "@aws-sdk/client-dynamodb";

/**
 * Has V8 write and read a call's JSON: the SDK's own code goes through it byte by byte. Errors, and
 * all else of a call, stay the SDK's. Items are those of `attributesToJson`.
 */
export function writePlainJson(protocol: DynamoDBClient["config"]["protocol"]): void {
  const { serializeRequest, deserializeResponse } = protocol;
  protocol.serializeRequest = async (operation: never, input: object, context: never) => {
    const request = await serializeRequest.call(protocol, operation, {}, context);
    return Object.assign(request, { body: Buffer.from(JSON.stringify(input)) });
  };
  protocol.deserializeResponse = async (operation: never, context: never, response: Response) => {
    const { statusCode, headers, body } = response;
    if (statusCode !== 200) return deserializeResponse.call(protocol, operation, context, response);
    const $metadata = { httpStatusCode: statusCode, requestId: headers["x-amzn-requestid"] };
    return { ...JSON.parse(await readText(body)), $metadata };
  };
}

interface Response {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: IncomingMessage;
}

function readText(body: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    body.on("data", (chunk: Buffer) => chunks.push(chunk));
    body.on("end", () => resolve(Buffer.concat(chunks).toString()));
    body.on("error", reject);
  });
}

type Attributes = Record<string, AttributeValue>;

/** Bytes are in base64. Changes the item itself, which was made for the call. */
export function attributesToJson(item: Attributes): Attributes {
  return convertBytes(item, (bytes) => Buffer.from(bytes as Uint8Array).toString("base64"));
}

export function attributesFromJson(item: Attributes): Attributes {
  return convertBytes(item, (base64) => Uint8Array.from(Buffer.from(base64 as string, "base64")));
}

interface Bytes {
  B?: unknown;
  BS?: unknown[];
  L?: Bytes[];
  M?: Record<string, Bytes>;
}

function convertBytes(item: Attributes, convert: (bytes: unknown) => unknown): Attributes {
  const walk = (value: Bytes) => {
    if (value.B !== undefined) value.B = convert(value.B);
    else if (value.BS) value.BS = value.BS.map(convert);
    else if (value.L) value.L.forEach(walk);
    else if (value.M) Object.values(value.M).forEach(walk);
  };
  Object.values(item as Record<string, Bytes>).forEach(walk);
  return item;
}
