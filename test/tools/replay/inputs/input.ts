import { X509Certificate } from "node:crypto";
import { request as send } from "undici";
import { z } from "zod";
import type { Answer } from "../../../../infra/local/gateway/answer.ts";
import {
  answerRequest,
  type GatewayParts,
  routeRequest,
} from "../../../../infra/local/gateway/answer-request.ts";
import {
  describeCertificate,
  newRequestIds,
  type ReceivedRequest,
} from "../../../../infra/local/gateway/request.ts";
import type { FunctionInvoker } from "../../../../infra/local/interfaces.ts";
import * as randomness from "../../../../infra/local/randomness.ts";

/** A request as the gateway received it. */
const RequestInput = z.strictObject({
  method: z.string(),
  protocol: z.string(),
  host: z.string(),
  path: z.string(),
  query: z.string(),
  headers: z.array(z.tuple([z.string(), z.string()])),
  body: z.string().nullable(),
  bytes: z.string().optional(),
  sourceIp: z.string(),
  /** PEM, or in a recording the number of one. Empty over plain HTTP. */
  certificate: z.string(),
});
type RequestInput = z.output<typeof RequestInput>;

const services = ["queues", "functions", "objects"] as const;

/** A call from outside: the network's events, the operator, an upload by a presigned URL. */
const CallInput = z.strictObject({
  service: z.enum(services),
  method: z.string(),
  path: z.string(),
  headers: z.record(z.string(), z.string()),
  /** Of an object: base64. */
  body: z.string(),
});

export const Input = z.union([
  z.strictObject({ request: RequestInput }),
  z.strictObject({ call: CallInput }),
  /** An invocation by the platform's start. */
  z.strictObject({ invocation: z.strictObject({ name: z.string(), event: z.unknown() }) }),
  /** Time passes. */
  z.strictObject({ clock: z.literal("moves") }),
]);
export type Input = z.output<typeof Input>;

export interface InputParts {
  gateway: GatewayParts;
  functions: FunctionInvoker;
  endpoints: Readonly<Record<(typeof services)[number], string>>;
}

export interface Answered {
  /** The status or outcome, for people. */
  outcome: string;
  /** What the caller got. */
  text: string;
  http?: { request: ReceivedRequest; answer: Answer };
  call?: { status: number; headers: Record<string, string> };
  payload?: Awaited<ReturnType<FunctionInvoker["invoke"]>>;
}

/** Of an input that was rejected before it reached a function. */
export const failedInput = { outcome: "failed", text: "" } as const;

/** The headers that the gateway fills in at a request's turn. */
const drawnHeader = "X-Amzn-Trace-Id";
const portHeader = "X-Forwarded-Port";

export function toRequestInput(received: ReceivedRequest): RequestInput {
  const { httpMethod: method, protocol, host, path, body, bytes, sourceIp, clientCertificate } = received;
  const headers = received.headers.map(([name, value]): [string, string] => {
    if (name === drawnHeader && value === received.traceId) return [name, ""];
    return [name, name === portHeader ? "443" : value];
  });
  const certificate = clientCertificate?.clientCertPem ?? "";
  return {
    ...{ method, protocol, host, path, query: received.query.toString(), headers, body },
    ...(bytes !== undefined && { bytes }),
    ...{ sourceIp, certificate },
  };
}

/** Runs an input in its turn: recordings and replays use the same code. */
export async function runInput(input: Input, parts: InputParts, at: number): Promise<Answered> {
  if ("request" in input) {
    const request = toReceived(input.request, at);
    const answer = await answerRequest(parts.gateway, routeRequest(parts.gateway, request));
    return { outcome: String(answer.status), text: answer.body, http: { request, answer } };
  }
  if ("invocation" in input) {
    const { name, event } = input.invocation;
    const payload = await parts.functions.invoke(name, event);
    return {
      outcome: payload.functionError ?? "succeeded",
      text: JSON.stringify(payload.payload) ?? "",
      payload,
    };
  }
  if ("clock" in input) return { outcome: "moved", text: "" };
  const { service, method, path, headers, body } = input.call;
  const url = parts.endpoints[service] + path;
  const bytes = Buffer.from(body, service === "objects" ? "base64" : "utf8");
  const sent = bytes.length === 0 ? null : bytes;
  const answer = await send(url, { method: method as "POST", headers, body: sent });
  const text = await answer.body.text();
  const failed = answer.headers["x-amz-function-error"];
  const named = Object.entries(answer.headers).map(([name, value]) => [name, String(value)]);
  return {
    outcome: failed === undefined ? String(answer.statusCode) : String(failed),
    text,
    call: { status: answer.statusCode, headers: Object.fromEntries(named) },
  };
}

function toReceived(input: RequestInput, timeMs: number): ReceivedRequest {
  const ids = newRequestIds(timeMs, randomness);
  const { method: httpMethod, protocol, host, path, body, bytes, sourceIp } = input;
  return {
    ...ids,
    timeMs,
    httpMethod,
    protocol,
    host,
    path,
    query: new URLSearchParams(input.query),
    headers: input.headers.map(([name, value]) => [
      name,
      name === drawnHeader && value === "" ? ids.traceId : value,
    ]),
    body,
    ...(bytes !== undefined && { bytes }),
    sourceIp,
    clientCertificate:
      input.certificate === "" ? undefined : describeCertificate(new X509Certificate(input.certificate)),
  };
}
