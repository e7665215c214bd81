import { connect, createServer, type Socket } from "node:net";
import { type LoopbackServer, listen } from "../loopback-server.ts";
import { AccessDenied } from "./access-control.ts";
import { type CheckedCall, headEnd, readCall } from "./read-call.ts";
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

/** AWS's answer to a call that is not allowed, as HTTP. */
export function findDenial(call: CheckedCall, check: Check): string | undefined {
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
