import type { Agent } from "node:http";
import type { Socket } from "node:net";
import { type AccessControl, AccessDenied } from "./access-control.ts";
import { headEnd, readCall } from "./read-call.ts";

/** The services' host for functions. It leads nowhere but by way of `checkCalls`. */
const checkedHost = "aws.invalid";
const realHost = "127.0.0.1";

export function toChecked(endpoint: string): string {
  return endpoint.replace(realHost, checkedHost);
}

type Connect = (this: Agent, options: { host?: string }, ...more: unknown[]) => Socket;

/** Checks this thread's calls of services before they are sent. */
export function checkCalls(access: AccessControl): void {
  // A static import would come before what `leaveOutUndici` does.
  const { Agent: HttpAgent } = process.getBuiltinModule("node:http");
  const agent = HttpAgent.prototype as unknown as { createConnection: Connect };
  const { createConnection } = agent;
  agent.createConnection = function (options, ...more) {
    if (options.host !== checkedHost) return createConnection.call(this, options, ...more);
    return checkWrites(createConnection.call(this, { ...options, host: realHost }, ...more), access);
  };
}

/** Holds a call back until it is complete. One that is not allowed is answered, and not sent. */
function checkWrites(socket: Socket, access: AccessControl): Socket {
  const write = socket.write.bind(socket) as (bytes: Buffer, done?: () => void) => boolean;
  let received: Buffer = Buffer.alloc(0);
  const writeChecked = (chunk: string | Buffer, encoding: BufferEncoding, done?: (() => void) | null) => {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk;
    received = received.length === 0 ? bytes : Buffer.concat([received, bytes]);
    try {
      const call = readCall(received);
      received = received.subarray(call?.length ?? 0);
      if (call) access.check(call.accessKeyId, call);
      if (call) return write(call.bytes, done ?? undefined);
    } catch (error) {
      if (error instanceof AccessDenied) setImmediate(() => socket.push(toDenial(error)));
      else socket.destroy(error as Error);
    }
    if (done) process.nextTick(done);
    return true;
  };
  return Object.assign(socket, { write: writeChecked });
}

/** AWS's answer to a call that is not allowed, as HTTP. */
function toDenial({ name, message }: AccessDenied): string {
  const body = JSON.stringify({ __type: `com.amazon.coral.service#${name}`, Message: message, message });
  const lines = [
    "HTTP/1.1 400 Bad Request",
    "content-type: application/x-amz-json-1.0",
    `x-amzn-errortype: ${name}`,
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  return `${lines.join("\r\n")}${headEnd}${body}`;
}
