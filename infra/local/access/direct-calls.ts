import type { Agent } from "node:http";
import type { Socket } from "node:net";
import { type CheckedCall, type ReadCall, readCall } from "./read-call.ts";
import { touched } from "./touched.ts";

/** The addresses of DynamoDB's guard, which functions know, and of the engine behind it. */
export interface DirectCalls {
  readonly guard: string;
  readonly engine: string;
}

/** The platform's answer to whether a call is allowed. */
export interface Decided {
  /** AWS's answer to a call that is not, as HTTP. */
  readonly denial: string | undefined;
  /** Whether it is the same for all partitions of the tables. */
  readonly isForAllPartitions: boolean;
}

/**
 * Sends this thread's calls of DynamoDB to the engine itself: the way through the guard costs two
 * turns of the main thread. Asks once whether a kind of call is allowed, since policies do not
 * change. What goes to the guard in another way is checked there.
 */
export function sendDirectly(
  { guard, engine }: DirectCalls,
  ask: (call: CheckedCall) => Promise<Decided>,
): void {
  const allowed = new Set<string>();
  const decide = async (call: ReadCall) => {
    const { length: _, bytes: __, ...checked } = call;
    const { denial, isForAllPartitions } = await ask(checked);
    if (denial === undefined && allowed.size < most) allowed.add(nameKind(call, !isForAllPartitions));
    return denial;
  };
  const isAllowed = (call: ReadCall) =>
    allowed.has(nameKind(call, false)) || allowed.has(nameKind(call, true));
  // A static import would come before what `leaveOutUndici` does.
  const { Agent: HttpAgent } = process.getBuiltinModule("node:http");
  const agent = HttpAgent.prototype as unknown as { createConnection: Connect };
  const { createConnection } = agent;
  const { port: guardPort } = new URL(guard);
  const { hostname: host, port } = new URL(engine);
  agent.createConnection = function (options, ...more) {
    if (String(options.port) !== guardPort) return createConnection.call(this, options, ...more);
    return checkWrites(createConnection.call(this, { ...options, host, port }, ...more), isAllowed, decide);
  };
}

/** A function makes some ten kinds of calls; those of partitions can be as many as these. */
const most = 1_000;

type Connect = (this: Agent, options: { host?: string; port?: unknown }, ...more: unknown[]) => Socket;

/** All that a decision depends on. */
function nameKind({ accessKeyId, target = "", body }: ReadCall, withPartitions: boolean): string {
  const kinds = touched(target.split(".")[1] ?? "", body).map(
    ({ action, table, index = "", partition = "" }) =>
      [action, table, index, withPartitions ? partition : ""].join(" "),
  );
  return [accessKeyId, target, ...new Set(kinds)].join("\n");
}

/** Holds a call back until it is complete and decided. */
function checkWrites(
  socket: Socket,
  isAllowed: (call: ReadCall) => boolean,
  decide: (call: ReadCall) => Promise<string | undefined>,
): Socket {
  const write = socket.write.bind(socket) as (bytes: Buffer, done?: () => void) => boolean;
  let received: Buffer = Buffer.alloc(0);
  const takeCall = (chunk: string | Buffer, encoding: BufferEncoding) => {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk, encoding) : chunk;
    received = received.length === 0 ? bytes : Buffer.concat([received, bytes]);
    const call = readCall(received);
    received = received.subarray(call?.length ?? 0);
    return call;
  };
  const sendDecided = async (call: ReadCall) => {
    const denial = await decide(call);
    if (denial === undefined) write(call.bytes);
    else socket.push(denial);
  };
  const fail = (error: Error) => void socket.destroy(error);
  const writeChecked = (chunk: string | Buffer, encoding: BufferEncoding, done?: (() => void) | null) => {
    let call: ReadCall | undefined;
    try {
      call = takeCall(chunk, encoding);
    } catch (error) {
      fail(error as Error);
    }
    if (call && isAllowed(call)) return write(call.bytes, done ?? undefined);
    if (call) sendDecided(call).catch(fail);
    if (done) process.nextTick(done);
    return true;
  };
  return Object.assign(socket, { write: writeChecked });
}
