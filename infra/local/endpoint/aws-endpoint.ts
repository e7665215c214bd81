import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { type EventBus, PutEventsEntry } from "../events/event-bus.ts";
import { type FunctionInvoker, InvocationRejected, ServiceError } from "../interfaces.ts";
import { readBody, startLoopbackServer } from "../loopback-server.ts";
import type { Keys } from "./kms.ts";
import { type Mailbox, SendEmailInput } from "./mailbox.ts";
import type { ObjectStore } from "./object-store.ts";
import type { Secrets } from "./secrets.ts";
import { administerUsage } from "./usage-administration.ts";
import type { UsagePlans } from "./usage-plans.ts";

export interface AwsParts {
  invoker: FunctionInvoker;
  /** Whether there is such a function. */
  knows: (functionNameOrArn: string) => boolean;
  bus: EventBus;
  secrets: Secrets;
  keys: Keys;
  mailbox: Mailbox;
  usage: UsagePlans;
  objects: ObjectStore;
}

export interface AwsEndpoint {
  endpoint: string;
  /** Until this call, every request gets 503: functions need the address before its parts exist. */
  serve(parts: AwsParts): void;
  stop(): Promise<void>;
}

interface Answer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/**
 * An object may be so large; S3 itself takes 5 GB. Other calls are smaller by their services' own
 * limits.
 */
const largestRequestBytes = 64 * 1024 * 1024;
const largestEventsBytes = 256 * 1024;
const invokePath = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/;
const sendEmailPath = "/v2/email/outbound-emails";
const rejectionStatus: Record<InvocationRejected["code"], number> = {
  ResourceNotFoundException: 404,
  RequestTooLargeException: 413,
  TooManyRequestsException: 429,
  RecursiveInvocationException: 400,
};

const PutEventsInput = z.object({ Entries: z.array(PutEventsEntry).min(1).max(10) });
const GetSecretValueInput = z.object({
  SecretId: z.string(),
  VersionId: z.string().optional(),
  VersionStage: z.literal("AWSCURRENT").optional(),
});

const PutSecretValueInput = z.object({ SecretId: z.string(), SecretString: z.string().min(1) });

/** Serves all AWS calls that no engine serves, in the SDK's protocols, on a free loopback port. */
export async function openAwsEndpoint(): Promise<AwsEndpoint> {
  let parts: AwsParts | undefined;
  const server = await startLoopbackServer((request, response) => {
    answer(request, parts)
      .catch(errorAnswer)
      .then(({ status, body, headers }) => {
        response.writeHead(status, { "content-type": "application/x-amz-json-1.1", ...headers });
        response.end(body === undefined ? "" : body instanceof Buffer ? body : JSON.stringify(body));
      })
      .catch((error) => response.destroy(error));
  });
  return {
    endpoint: server.url,
    serve: (given) => {
      parts = given;
    },
    stop: server.stop,
  };
}

async function answer(request: IncomingMessage, parts: AwsParts | undefined): Promise<Answer> {
  if (parts === undefined) throw new ServiceError(503, "ServiceUnavailable", "The platform is starting");
  const { method, url, headers } = request;
  // Browsers' pages must not call functions; no SDK sends an origin.
  if (headers.origin !== undefined) throw new ServiceError(403, "AccessDeniedException", "Not for browsers");
  const bytes = await readBody(request, largestRequestBytes);
  if (!bytes) throw new ServiceError(413, "RequestTooLargeException", "The request is too large");
  const [path = "", query] = (url ?? "").split("?");
  const body = bytes.toString();
  const target = String(headers["x-amz-target"]);
  const invocationType = headers["x-amz-invocation-type"] ?? "RequestResponse";
  const functionName = invokePath.exec(path)?.[1];
  if (functionName !== undefined && method === "POST" && invocationType === "RequestResponse")
    return invoke(decodeURIComponent(functionName), body, parts, headers["x-amzn-trace-id"]?.toString());
  if (functionName !== undefined && method === "POST" && invocationType === "DryRun")
    return dryRun(decodeURIComponent(functionName), parts);
  if (path === sendEmailPath && method === "POST") {
    const MessageId = parts.mailbox.deliver(parse(SendEmailInput, body));
    return { status: 200, body: { MessageId }, headers: { "content-type": "application/json" } };
  }
  const administered = administerUsage(parts.usage, { method, url, body });
  if (administered !== undefined) return administered;
  if (target === "AWSEvents.PutEvents") return putEvents(body, parts);
  if (target === "secretsmanager.GetSecretValue") return getSecretValue(body, parts);
  if (target === "secretsmanager.PutSecretValue") return putSecretValue(body, parts);
  if (target.startsWith("TrentService.")) {
    const fromKey = parts.keys.answer(target.replace("TrentService.", ""), parse(z.unknown(), body));
    if (fromKey !== undefined) return { status: 200, body: fromKey };
  }
  if (target === "undefined" && parts.objects.serves(path)) {
    const call = { method: method ?? "", path, query: new URLSearchParams(query), headers, body: bytes };
    return { body: undefined, ...(await parts.objects.answer(call)) };
  }
  throw new ServiceError(400, "UnknownOperationException", `${method} ${path} ${target} is not served here`);
}

async function putEvents(body: string, { bus }: AwsParts): Promise<Answer> {
  const { Entries } = parse(PutEventsInput, body);
  if (Buffer.byteLength(body) > largestEventsBytes) {
    const message = "Total size of the entries in the request is over the limit.";
    throw new ServiceError(413, "RequestEntityTooLargeException", message);
  }
  const results = await Promise.all(Entries.map((entry) => bus.put(entry)));
  const FailedEntryCount = results.filter((result) => "ErrorCode" in result).length;
  return { status: 200, body: { FailedEntryCount, Entries: results } };
}

function getSecretValue(body: string, { secrets }: AwsParts): Answer {
  const { SecretId, VersionId } = parse(GetSecretValueInput, body);
  const value = secrets.find(SecretId);
  return secretAnswer(VersionId === undefined || VersionId === value?.VersionId ? value : undefined);
}

function putSecretValue(body: string, { secrets }: AwsParts): Answer {
  const { SecretId, SecretString } = parse(PutSecretValueInput, body);
  const { SecretString: _, ...version } = secrets.put(SecretId, SecretString) ?? {};
  return secretAnswer("ARN" in version ? version : undefined);
}

function secretAnswer(body: unknown): Answer {
  if (body !== undefined) return { status: 200, body };
  const message = "Secrets Manager can't find the specified secret.";
  throw new ServiceError(400, "ResourceNotFoundException", message);
}

async function invoke(
  functionName: string,
  body: string,
  { invoker }: AwsParts,
  traceHeader: string | undefined,
): Promise<Answer> {
  const event: unknown = body === "" ? {} : parse(z.unknown(), body);
  const { payload, functionError } = await invoker.invoke(functionName, event, traceHeader);
  return {
    status: 200,
    body: payload ?? null,
    headers: {
      "content-type": "application/json",
      "x-amz-executed-version": "$LATEST",
      ...(functionError !== undefined && { "x-amz-function-error": functionError }),
    },
  };
}

/** Whether it is allowed was decided before. Nothing runs. */
function dryRun(functionName: string, { knows }: AwsParts): Answer {
  if (knows(functionName)) return { status: 204, body: undefined };
  throw new ServiceError(404, "ResourceNotFoundException", `Function not found: ${functionName}`);
}

function errorAnswer(error: unknown): Answer {
  const { status, code, message } = toServiceError(error);
  const body = { __type: code, Type: "User", message, Message: message };
  return { status, body, headers: { "x-amzn-errortype": code } };
}

function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof InvocationRejected)
    return new ServiceError(rejectionStatus[error.code], error.code, error.message);
  return new ServiceError(500, "InternalFailure", String(error));
}

function parse<Schema extends z.ZodType>(schema: Schema, body: string): z.output<Schema> {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new ServiceError(400, "SerializationException", "The request is not JSON");
  }
  const { success, data, error } = schema.safeParse(value);
  if (!success) throw new ServiceError(400, "ValidationException", z.prettifyError(error));
  return data;
}
