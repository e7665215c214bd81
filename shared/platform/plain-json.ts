import type { IncomingMessage } from "node:http";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";

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
  protocol.deserializeResponse = async (operation: never, context: never, response: HttpAnswer) => {
    if (response.statusCode === 200) return readPlainJson(response);
    return deserializeResponse.call(protocol, operation, context, response);
  };
}

/** What an answer of status 200 says, as the SDK has it. */
export async function readPlainJson({ statusCode, headers, body }: HttpAnswer, attempts = {}) {
  const $metadata = { httpStatusCode: statusCode, requestId: headers["x-amzn-requestid"], ...attempts };
  return { ...JSON.parse(await readText(body)), $metadata };
}

export type HttpAnswer = Pick<IncomingMessage, "statusCode" | "headers"> & { readonly body: IncomingMessage };

function readText(body: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    body.on("data", (chunk: Buffer) => chunks.push(chunk));
    body.on("end", () => resolve(Buffer.concat(chunks).toString()));
    body.on("error", reject);
  });
}
