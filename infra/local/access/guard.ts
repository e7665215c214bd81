import type { IncomingMessage, ServerResponse } from "node:http";
import { Pool } from "undici";
import { readSources, type SourceProperties } from "../events/source-properties.ts";
import { startLoopbackServer } from "../loopback-server.ts";
import { allOf, type Services } from "../start-services.ts";
import type { Assembly } from "../template.ts";
import { type AccessControl, AccessDenied } from "./access-control.ts";
import type { AccessRequest } from "./policy.ts";
import { decryptRequests, type ServiceCall, toRequest } from "./requested.ts";

/** The services' addresses for functions. Each service has a guard. */
export interface Guards {
  /** Environment variables that point the SDK to the guards. */
  readonly endpoints: Record<string, string>;
  /** Points a queue's URL to the guard. Returns other values unchanged. */
  readonly guarded: (value: string) => string;
}

/** Starts a guard per service. Calls to unsupported services never leave this machine. */
export async function startGuards(
  { dynamo, sqs, aws }: Services,
  access: AccessControl,
  stack: AsyncDisposableStack,
): Promise<Guards> {
  const before = async (endpoint: string) => {
    const guard = await startGuard(endpoint, (accessKeyId, call) => access.check(accessKeyId, call));
    stack.defer(() => guard.stop());
    return guard.endpoint;
  };
  const [dynamodb, queues, others] = await allOf([
    before(dynamo.endpoint),
    before(sqs.endpoint),
    before(aws.endpoint),
  ]);
  const onOthers = ["EVENTBRIDGE", "SECRETS_MANAGER", "KMS", "LAMBDA", "API_GATEWAY"].map(
    (service) => [`AWS_ENDPOINT_URL_${service}`, others] as const,
  );
  return {
    endpoints: {
      AWS_ENDPOINT_URL: others,
      AWS_ENDPOINT_URL_DYNAMODB: dynamodb,
      AWS_ENDPOINT_URL_SQS: queues,
      ...Object.fromEntries(onOthers),
    },
    guarded: (value) => value.replaceAll(sqs.endpoint, queues),
  };
}

export interface Guard {
  readonly endpoint: string;
  stop(): Promise<void>;
}

export type Check = (accessKeyId: string, call: ServiceCall) => void;

/** Proxies allowed calls, and rejects others like AWS. */
export async function startGuard(upstream: string, check: Check): Promise<Guard> {
  const pool = new Pool(upstream);
  const server = await startLoopbackServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      guard(incoming, Buffer.concat(chunks), response, { pool, check }).catch((error) =>
        response.destroy(error as Error),
      );
    });
  });
  return {
    endpoint: server.url,
    stop: async () => {
      const stopped = server.stop();
      await pool.destroy();
      await stopped;
    },
  };
}

/** Not passed on: they are of one connection. */
const hopHeaders = new Set(["connection", "keep-alive", "transfer-encoding", "host", "expect"]);

async function guard(
  incoming: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
  { pool, check }: { pool: Pool; check: Check },
): Promise<void> {
  const { method = "GET", url = "/", headers } = incoming;
  const { authorization } = headers;
  const [path = "/"] = url.split("?");
  const target = headers["x-amz-target"];
  try {
    // Signatures are not verified: only this process knows the guard's address.
    const accessKeyId = /Credential=([^/]+)\//.exec(authorization ?? "")?.[1] ?? "";
    check(accessKeyId, { method, path, target: [target].flat()[0], body: parsed(body) });
  } catch (error) {
    if (!(error instanceof AccessDenied)) throw error;
    const { name, message } = error;
    response.writeHead(400, { "content-type": "application/x-amz-json-1.0", "x-amzn-errortype": name });
    response.end(JSON.stringify({ __type: `com.amazon.coral.service#${name}`, Message: message, message }));
    return;
  }
  // An engine may separate data by access key.
  const anybody = authorization?.replace(/Credential=[^/]+/, "Credential=local");
  const answer = await pool.request({
    method: method as "POST",
    path: url,
    headers: withoutHop({ ...headers, authorization: anybody }),
    body: body.length > 0 ? body : null,
  });
  const answered = Buffer.from(await answer.body.arrayBuffer());
  response.writeHead(answer.statusCode, withoutHop(answer.headers));
  response.end(answered);
}

function withoutHop(headers: IncomingMessage["headers"]): IncomingMessage["headers"] {
  return Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => value !== undefined && !hopHeaders.has(name)),
  );
}

function parsed(body: Buffer): ServiceCall["body"] {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === "object" && value !== null ? (value as ServiceCall["body"]) : {};
  } catch {
    return {};
  }
}

const queueActions = ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"];
const streamActions = ["GetRecords", "GetShardIterator", "DescribeStream", "ListStreams"].map(
  (action) => `dynamodb:${action}`,
);

/** Without these permissions, Lambda rejects an event source mapping. Throws AccessDenied. */
export function requireSourcePermissions(assembly: Assembly, access: AccessControl): void {
  const { streams, queues } = readSources(assembly);
  for (const source of [...streams, ...queues]) {
    const functionName = assembly.byArn(source.functionArn)?.physicalName ?? "";
    access.require(functionName, sourceRequests(source, assembly));
  }
}

function sourceRequests({ sourceArn, failureQueue }: SourceProperties, assembly: Assembly): AccessRequest[] {
  const tableArn = sourceArn.replace(/\/stream\/.*$/, "");
  const isStream = tableArn !== sourceArn;
  const failureQueues = assembly
    .ofType("AWS::SQS::Queue")
    .filter(({ physicalName }) => physicalName === failureQueue);
  return [
    ...(isStream ? streamActions : queueActions).map((action) => toRequest(action, sourceArn)),
    ...(isStream ? decryptRequests("dynamodb", tableArn, assembly) : []),
    ...failureQueues.map(({ arn }) => toRequest("sqs:SendMessage", arn)),
  ];
}
