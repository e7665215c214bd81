import { readFile } from "node:fs/promises";
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";

/** What came back over HTTP: the status, the headers, the parsed body. */
export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: JSON, which each test checks.
  readonly body: any;
}

type Handler = (event: APIGatewayProxyEvent, context: Context) => unknown;

/** Input and output pass through JSON, as in Lambda. */
export async function replay(handler: Handler, event: APIGatewayProxyEvent): Promise<Answer> {
  const input = JSON.parse(JSON.stringify(event)) as APIGatewayProxyEvent;
  const result = (await handler(input, lambdaContext)) as APIGatewayProxyResult;
  return {
    status: result.statusCode,
    headers: { ...result.headers } as Record<string, string>,
    body: isJson(result) ? JSON.parse(result.body) : result.body,
  };
}

function isJson({ headers }: APIGatewayProxyResult): boolean {
  return headers?.["Content-Type"] === "application/json";
}

/** A recorded Lambda input: `events/<function>/<operation>/<case>.json`. */
export async function recorded<E = APIGatewayProxyEvent>(
  functionName: string,
  operation: string,
  name: string,
): Promise<E> {
  const file = new URL(`../../events/${functionName}/${operation}/${name}.json`, import.meta.url);
  return JSON.parse(await readFile(file, "utf8")) as E;
}

/** Replaces the first identifier of each kind by one of this run's records. */
export function revived<E>(
  event: E,
  ids: Readonly<Record<string, string>>,
  texts: Readonly<Record<string, string>> = {},
): E {
  const first = Object.entries(ids).map(([prefix, id]) => [`${prefix}_${"1".padStart(26, "0")}`, id]);
  const replaced = [...first, ...Object.entries(texts)];
  const text = JSON.stringify(event);
  const missing = replaced.find(([old = ""]) => !text.includes(old));
  if (missing) throw new Error(`The recorded event has no ${missing[0]}: run npm run record.`);
  return JSON.parse(replaced.reduce((all, [old = "", fresh = ""]) => all.replaceAll(old, fresh), text)) as E;
}

/** Lambda's context, with ample time: one process does the work of many. */
export const lambdaContext: Context = {
  awsRequestId: "00000000-0000-4000-8000-000000000001",
  callbackWaitsForEmptyEventLoop: true,
  functionName: "test",
  functionVersion: "$LATEST",
  invokedFunctionArn: "arn:aws:lambda:eu-west-1:000000000000:function:test",
  logGroupName: "/aws/lambda/test",
  logStreamName: "test",
  memoryLimitInMB: "256",
  getRemainingTimeInMillis: () => 60_000,
  done: () => undefined,
  fail: () => undefined,
  succeed: () => undefined,
};
