import { once } from "node:events";
import { Agent, type IncomingMessage, request, type ServerResponse } from "node:http";
import { startLoopbackServer } from "../loopback-server.ts";
import { AccessDenied } from "./access-control.ts";
import type { ServiceCall } from "./requested.ts";

export interface Guard {
  /** In front of what is guarded. */
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** Lets the call of these credentials pass. @throws AccessDenied */
export type Check = (accessKeyId: string, call: ServiceCall) => void;

/** Stands before a service, and passes on to it what the caller is allowed; answers the rest as AWS does. */
export async function startGuard(upstream: string, check: Check): Promise<Guard> {
  const agent = new Agent({ keepAlive: true });
  const server = await startLoopbackServer((incoming, response) => {
    guard(incoming, response, { upstream, agent, check }).catch((error) => response.destroy(error as Error));
  });
  return {
    endpoint: server.url,
    stop: async () => {
      const stopped = server.stop();
      agent.destroy();
      await stopped;
    },
  };
}

async function guard(
  incoming: IncomingMessage,
  response: ServerResponse,
  { upstream, agent, check }: { upstream: string; agent: Agent; check: Check },
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const { method = "GET", url = "/", headers } = incoming;
  try {
    check(accessKeyIn(headers.authorization), callOf(incoming, body));
  } catch (error) {
    if (!(error instanceof AccessDenied)) throw error;
    return deny(response, error);
  }
  // Engines may keep what belongs to each access key apart.
  const authorization = headers.authorization?.replace(/Credential=[^/]+/, "Credential=local");
  const onward = request(new URL(url, upstream), { method, headers: { ...headers, authorization }, agent });
  const answered = once(onward, "response") as Promise<[IncomingMessage]>;
  onward.end(body);
  const [answer] = await answered;
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  for await (const chunk of answer) response.write(chunk);
  response.end();
}

/** The signature itself is not checked: only this process knows where the guard listens. */
function accessKeyIn(authorization: string | undefined): string {
  return /Credential=([^/]+)\//.exec(authorization ?? "")?.[1] ?? "";
}

function callOf({ method = "GET", url = "/", headers }: IncomingMessage, body: Buffer): ServiceCall {
  const [path = "/"] = url.split("?");
  const target = headers["x-amz-target"];
  return { method, path, target: Array.isArray(target) ? target[0] : target, body: parsed(body) };
}

function parsed(body: Buffer): ServiceCall["body"] {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === "object" && value !== null ? (value as ServiceCall["body"]) : {};
  } catch {
    return {};
  }
}

function deny(response: ServerResponse, { name, message }: AccessDenied): void {
  response.writeHead(400, { "content-type": "application/x-amz-json-1.0", "x-amzn-errortype": name });
  response.end(JSON.stringify({ __type: `com.amazon.coral.service#${name}`, Message: message, message }));
}
