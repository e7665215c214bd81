import type { Agent } from "node:http";
import type { Socket } from "node:net";
import { type AccessControl, AccessDenied } from "./access-control.ts";
import type { ServiceCall } from "./requested.ts";

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

/** Who calls, and what for. */
interface ReadCall extends ServiceCall {
  readonly accessKeyId: string;
  /** What was received of it. */
  readonly length: number;
  /** What the engine gets. */
  readonly bytes: Buffer;
}

const largestHead = 64 * 1024;
const headEnd = "\r\n\r\n";
const chunked = /\r\ntransfer-encoding:/i;
const statedLength = /\r\ncontent-length: *(\d+)/i;
const signedBy = /\r\nauthorization: [^\r]*?Credential=([^/]+)\//i;
const named = /\r\nx-amz-target: *([^\r]*)/i;

/** Undefined until the call is complete. Throws for a body that does not state its length. */
function readCall(received: Buffer): ReadCall | undefined {
  const headLength = received.indexOf(headEnd) + headEnd.length;
  if (headLength < headEnd.length) {
    if (received.length > largestHead) throw new Error("The head of a call is too large.");
    return undefined;
  }
  const head = received.toString("latin1", 0, headLength);
  const [method = "", url = ""] = head.slice(0, head.indexOf("\r\n")).split(" ");
  if (chunked.test(head)) throw new Error(`A call states no length: ${method} ${url}`);
  const length = headLength + Number(statedLength.exec(head)?.[1] ?? 0);
  if (received.length < length) return undefined;
  // Signatures are not verified: only this process knows the guard's address.
  const accessKeyId = signedBy.exec(head)?.[1] ?? "";
  const body = received.subarray(headLength, length);
  // An engine may separate data by access key.
  const anonymous = head.replace(`Credential=${accessKeyId}/`, "Credential=local/");
  return {
    accessKeyId,
    length,
    bytes: Buffer.concat([Buffer.from(anonymous, "latin1"), body]),
    method,
    path: url.split("?")[0] ?? "/",
    target: named.exec(head)?.[1],
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
