import type { APIGatewayProxyEvent } from "aws-lambda";

/** Names of headers have no case. */
export function readHeader(
  headers: APIGatewayProxyEvent["headers"] | null,
  name: string,
): string | undefined {
  return Object.entries(headers ?? {}).find(([one]) => one.toLowerCase() === name)?.[1];
}
