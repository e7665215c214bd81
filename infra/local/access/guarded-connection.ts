import { connect, createServer, type Socket } from "node:net";
import { type LoopbackServer, listen } from "../loopback-server.ts";
import { AccessDenied } from "./access-control.ts";
import type { ServiceCall } from "./requested.ts";

/** Throws AccessDenied. */
export type Check = (accessKeyId: string, call: ServiceCall) => void;

/**
 * Passes allowed calls on as they are, and rejects others like AWS. Works on bytes: an HTTP server
 * and client here took a third of the platform's main thread.
 */
export function startGuard(upstream: string, check: Check): Promise<LoopbackServer> {
  const { hostname: host, port } = new URL(upstream);
  const clients = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    clients.add(client);
    client.once("close", () => clients.delete(client));
    guardConnection(client, () => connect({ host, port: Number(port), noDelay: true }), check);
  });
  return listen(server, () => {
    for (const client of clients) client.destroy();
  });
}

/**
 * Reads each call to its end, because its body names the resources. Answers are not read: the SDK
 * sends the next call of a connection after the answer.
 */
function guardConnection(client: Socket, open: () => Socket, check: Check): void {
  let upstream: Socket | undefined;
  let received: Buffer = Buffer.alloc(0);
  const end = () => {
    client.destroy();
    upstream?.destroy();
  };
  const forward = (bytes: Buffer) => {
    if (upstream === undefined) {
      upstream = open().on("error", end).on("close", end);
      upstream.pipe(client);
    }
    upstream.write(bytes);
  };
  client.on("error", end).on("close", end);
  client.on("data", (chunk: Buffer) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    try {
      for (let call = readCall(received); call !== undefined; call = readCall(received)) {
        received = received.subarray(call.length);
        const denial = findDenial(call, check);
        if (denial === undefined) forward(call.bytes);
        else client.write(denial);
      }
    } catch (error) {
      console.error(error);
      end();
    }
  });
}

interface ReadCall extends ServiceCall {
  readonly accessKeyId: string;
  /** What was received of it. */
  readonly length: number;
  /** What the engine gets. */
  readonly bytes: Buffer;
}

const largestHead = 64 * 1024;
const headEnd = "\r\n\r\n";

/** Undefined until the call is complete. Throws for a body that does not state its length. */
function readCall(received: Buffer): ReadCall | undefined {
  const headLength = received.indexOf(headEnd) + headEnd.length;
  if (headLength < headEnd.length) {
    if (received.length > largestHead) throw new Error("The head of a call is too large.");
    return undefined;
  }
  const head = received.toString("latin1", 0, headLength);
  const [requestLine = "", ...lines] = head.split("\r\n");
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  if (headers.has("transfer-encoding")) throw new Error(`A call states no length: ${requestLine}`);
  const length = headLength + Number(headers.get("content-length") ?? 0);
  if (received.length < length) return undefined;
  const [method = "", url = ""] = requestLine.split(" ");
  // Signatures are not verified: only this process knows the guard's address.
  const [, accessKeyId = ""] = /Credential=([^/]+)\//.exec(headers.get("authorization") ?? "") ?? [];
  const body = received.subarray(headLength, length);
  // An engine may separate data by access key.
  const anonymous = head.replace(`Credential=${accessKeyId}/`, "Credential=local/");
  return {
    accessKeyId,
    length,
    bytes: Buffer.concat([Buffer.from(anonymous, "latin1"), body]),
    method,
    path: url.split("?")[0] ?? "/",
    target: headers.get("x-amz-target"),
    body: parsed(body),
  };
}

function parsed(body: Buffer): ServiceCall["body"] {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === "object" && value !== null ? (value as ServiceCall["body"]) : {};
  } catch {
    return {};
  }
}

/** AWS's answer to a call that is not allowed. */
function findDenial(call: ReadCall, check: Check): string | undefined {
  try {
    check(call.accessKeyId, call);
    return undefined;
  } catch (error) {
    if (!(error instanceof AccessDenied)) throw error;
    const { name, message } = error;
    const body = JSON.stringify({ __type: `com.amazon.coral.service#${name}`, Message: message, message });
    const lines = [
      "HTTP/1.1 400 Bad Request",
      "content-type: application/x-amz-json-1.0",
      `x-amzn-errortype: ${name}`,
      `content-length: ${Buffer.byteLength(body)}`,
    ];
    return `${lines.join("\r\n")}${headEnd}${body}`;
  }
}
