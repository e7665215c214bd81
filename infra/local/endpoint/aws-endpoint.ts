import type { IncomingMessage } from "node:http";
import { z } from "zod";
import { type EventBus, PutEventsEntry } from "../events/event-bus.ts";
import { type FunctionInvoker, ServiceError, takeInput } from "../interfaces.ts";
import { openPlainPort, readBody } from "../loopback-server.ts";
import type { Keys } from "./kms.ts";
import { type Mailbox, SendEmailInput } from "./mailbox.ts";
import type { ObjectStore } from "./object-store.ts";
import type { Secrets } from "./secrets.ts";
import { administerUsage, type UsagePlans } from "./usage-plans.ts";

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

const PutEventsInput = z.object({ Entries: z.array(PutEventsEntry).min(1).max(10) });
const GetSecretInput = z.strictObject({ SecretId: z.string() });
const PutSecretInput = z.object({ SecretId: z.string(), SecretString: z.string().min(1) });

/** Serves all AWS calls that no engine serves, in the SDK's protocols, on a free loopback port. */
export async function openAwsEndpoint(): Promise<AwsEndpoint> {
  const { url: endpoint, stop, serve } = await openPlainPort();
  const listen = (parts: AwsParts) =>
    serve((request, response) => {
      answer(request, parts)
        .catch(errorAnswer)
        .then(({ status, body, headers }) => {
          response.writeHead(status, { "content-type": "application/x-amz-json-1.1", ...headers });
          response.end(body === undefined ? "" : body instanceof Buffer ? body : JSON.stringify(body));
        })
        .catch((error) => response.destroy(error));
    });
  return { endpoint, stop, serve: listen };
}

async function answer(request: IncomingMessage, parts: AwsParts): Promise<Answer> {
  const { method, url, headers } = request;
  // Browsers' pages must not call functions; no SDK sends an origin.
  if (headers.origin !== undefined) throw new ServiceError(403, "AccessDeniedException", "Not for browsers");
  const bytes = await readBody(request, largestRequestBytes);
  if (!bytes) throw new ServiceError(413, "RequestTooLargeException", "The request is too large");
  const [path = "", query] = (url ?? "").split("?");
  const body = bytes.toString();
  const target = String(headers["x-amz-target"]);
  const [, functionName] = (method === "POST" && invokePath.exec(path)) || [];
  const invoked = functionName && invoke(decodeURIComponent(functionName), body, headers, parts);
  if (invoked) return invoked;
  if (path === sendEmailPath && method === "POST") {
    const MessageId = parts.mailbox.deliver(takeInput(SendEmailInput, parse(body)));
    return { status: 200, body: { MessageId }, headers: { "content-type": "application/json" } };
  }
  const administered = administerUsage(parts.usage, { method, url, body });
  if (administered !== undefined) return administered;
  const operation = Object.hasOwn(operations, target) ? operations[target] : undefined;
  if (operation) return { status: 200, body: await operation(parse(body), parts) };
  if (target.startsWith("TrentService.")) {
    const fromKey = parts.keys.answer(target.replace("TrentService.", ""), parse(body));
    if (fromKey !== undefined) return { status: 200, body: fromKey };
  }
  if (target === "undefined" && parts.objects.serves(path)) {
    const call = { method: method ?? "", path, query: new URLSearchParams(query), headers, body: bytes };
    return { body: undefined, ...(await parts.objects.answer(call)) };
  }
  throw new ServiceError(400, "UnknownOperationException", `${method} ${path} ${target} is not served here`);
}

/** By their targets. */
const operations: Readonly<Record<string, (input: unknown, parts: AwsParts) => unknown>> = {
  "AWSEvents.PutEvents": async (input, { bus }) => {
    const { Entries } = takeInput(PutEventsInput, input);
    if (Buffer.byteLength(JSON.stringify(input)) > largestEventsBytes) {
      const message = "Total size of the entries in the request is over the limit.";
      throw new ServiceError(413, "RequestEntityTooLargeException", message);
    }
    const results = await Promise.all(Entries.map((entry) => bus.put(entry)));
    const FailedEntryCount = results.filter((result) => "ErrorCode" in result).length;
    return { FailedEntryCount, Entries: results };
  },
  "secretsmanager.GetSecretValue": (input, { secrets }) => {
    return known(secrets.find(takeInput(GetSecretInput, input).SecretId));
  },
  "secretsmanager.PutSecretValue": (input, { secrets }) => {
    const { SecretId, SecretString } = takeInput(PutSecretInput, input);
    const { SecretString: _, ...version } = known(secrets.put(SecretId, SecretString));
    return version;
  },
};

function known(secret: ReturnType<Secrets["find"]>) {
  if (secret !== undefined) return secret;
  const message = "Secrets Manager can't find the specified secret.";
  throw new ServiceError(400, "ResourceNotFoundException", message);
}

/** Undefined for another type of invocation than these two. */
function invoke(
  functionName: string,
  body: string,
  headers: IncomingMessage["headers"],
  { invoker, knows }: AwsParts,
): Promise<Answer> | Answer | undefined {
  const type = headers["x-amz-invocation-type"] ?? "RequestResponse";
  // Whether it is allowed was decided before. Nothing runs.
  if (type === "DryRun") {
    if (knows(functionName)) return { status: 204, body: undefined };
    throw new ServiceError(404, "ResourceNotFoundException", `Function not found: ${functionName}`);
  }
  if (type !== "RequestResponse") return undefined;
  const event = body === "" ? {} : parse(body);
  return invoker.invoke(functionName, event).then(({ payload, functionError }) => ({
    status: 200,
    body: payload ?? null,
    headers: {
      "content-type": "application/json",
      "x-amz-executed-version": "$LATEST",
      ...(functionError !== undefined && { "x-amz-function-error": functionError }),
    },
  }));
}

function errorAnswer(error: unknown): Answer {
  const isKnown = error instanceof ServiceError;
  const { status, code, message } = isKnown ? error : new ServiceError(500, "InternalFailure", String(error));
  const body = { __type: code, Type: "User", message, Message: message };
  return { status, body, headers: { "x-amzn-errortype": code } };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new ServiceError(400, "SerializationException", "The request is not JSON");
  }
}
