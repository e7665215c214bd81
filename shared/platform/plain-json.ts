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
  protocol.deserializeResponse = async (operation: never, context: never, response: Response) => {
    const { statusCode, headers, body } = response;
    if (statusCode !== 200) return deserializeResponse.call(protocol, operation, context, response);
    const $metadata = { httpStatusCode: statusCode, requestId: headers["x-amzn-requestid"] };
    return { ...JSON.parse(await readText(body)), $metadata };
  };
}

type Response = Pick<IncomingMessage, "statusCode" | "headers"> & { readonly body: IncomingMessage };

function readText(body: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    body.on("data", (chunk: Buffer) => chunks.push(chunk));
    body.on("end", () => resolve(Buffer.concat(chunks).toString()));
    body.on("error", reject);
  });
}
