import type { APIGatewayProxyEvent } from "aws-lambda";

/** Names of headers have no case. */
export function readHeader(
  headers: APIGatewayProxyEvent["headers"] | null,
  name: string,
): string | undefined {
  return Object.entries(headers ?? {}).find(([one]) => one.toLowerCase() === name)?.[1];
}

export function isRepeatedHeader({ multiValueHeaders }: APIGatewayProxyEvent, name: string): boolean {
  const named = Object.entries(multiValueHeaders ?? {}).filter(([one]) => one.toLowerCase() === name);
  return named.flatMap(([, values]) => values ?? []).length > 1;
}

/** Content-Type names no other charset. */
export function isInUtf8(headers: APIGatewayProxyEvent["headers"]): boolean {
  const [, quoted, plain] =
    /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]*))/i.exec(readHeader(headers, "content-type") ?? "") ?? [];
  return /^utf-?8$/i.test((quoted ?? plain ?? "utf-8").trim());
}
