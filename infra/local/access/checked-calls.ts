import type { Agent } from "node:http";
import type { Socket } from "node:net";
import { type CheckedCall, type ReadCall, readCall } from "./read-call.ts";
import { type Touched, touched } from "./touched.ts";

/** The services' host for functions. It leads nowhere but by way of `checkCalls`. */
const checkedHost = "aws.invalid";
const realHost = "127.0.0.1";

export function toChecked(endpoint: string): string {
  return endpoint.replace(realHost, checkedHost);
}

/** The platform's answer to whether a call is allowed. */
export interface Decided {
  /** AWS's answer to a call that is not, as HTTP. */
  readonly denial: string | undefined;
  /** Whether it is the same for all partitions of the tables. */
  readonly isForAllPartitions: boolean;
}

/**
 * Checks this thread's calls of services before they are sent: a proxy cost two turns of the main
 * thread. Asks once whether a kind of call is allowed, since policies do not change.
 */
export function checkCalls(ask: (call: CheckedCall) => Promise<Decided | undefined>): void {
  const allowed = new Set<string | undefined>();
  const decide = async (call: ReadCall) => {
    const { length: _, bytes: __, ...checked } = call;
    const decided = await ask(checked);
    if (decided === undefined) throw new Error(`A call cannot be read: ${call.target}`);
    const { denial, isForAllPartitions } = decided;
    const kind = nameKind(call, nameResources(call), !isForAllPartitions);
    if (denial === undefined && kind !== undefined && allowed.size < most) allowed.add(kind);
    return denial;
  };
  const isAllowed = (call: ReadCall) => {
    const resources = nameResources(call);
    return allowed.has(nameKind(call, resources, false)) || allowed.has(nameKind(call, resources, true));
  };
  // A static import would come before what `leaveOutUndici` does.
  const { Agent: HttpAgent } = process.getBuiltinModule("node:http");
  const agent = HttpAgent.prototype as unknown as { createConnection: Connect };
  const { createConnection } = agent;
  agent.createConnection = function (options, ...more) {
    if (options.host !== checkedHost) return createConnection.call(this, options, ...more);
    const socket = createConnection.call(this, { ...options, host: realHost }, ...more);
    return checkWrites(socket, isAllowed, decide);
  };
}

/** A function makes some ten kinds of calls; those of partitions can be as many as these. */
const most = 1_000;

type Connect = (this: Agent, options: { host?: string }, ...more: unknown[]) => Socket;

/** What a call touches, with the partition if it is of one. */
type Resource = readonly [name: string, partition: string];

/** All that a decision depends on. Undefined for rare calls: each of them is decided anew. */
function nameKind(
  { accessKeyId, target }: ReadCall,
  resources: readonly Resource[] | undefined,
  withPartitions: boolean,
): string | undefined {
  const names = resources?.map(([name, partition]) => (withPartitions ? `${name} ${partition}` : name));
  return names && [accessKeyId, target, ...new Set(names)].join("\n");
}

function nameResources({ target = "", body }: ReadCall): Resource[] | undefined {
  const [service, operation = ""] = target.split(".");
  if (service === "AmazonSQS") return [[String(body.QueueUrl ?? body.QueueName), ""]];
  if (target === "AWSEvents.PutEvents")
    return [body.Entries].flat().map((entry) => [String(Object(entry).EventBusName), ""]);
  if (service !== "DynamoDB_20120810") return undefined;
  const name = ({ action, table, index = "" }: Touched) => `${action} ${table} ${index}`;
  return touched(operation, body).map((one) => [name(one), one.partition ?? ""]);
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
