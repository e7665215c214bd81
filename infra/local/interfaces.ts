/** What the parts of the local target know of each other; everything else stays inside the part. */

/** The one clock of a run. Real time plus an offset that only ever grows. */
export interface Clock {
  /** Milliseconds since the epoch, as every function of this run sees them. */
  now(): number;
  /** One `BigInt64Array` element: the offset to real time in milliseconds. Workers read it with Atomics. */
  readonly sharedOffset: SharedArrayBuffer;
}

/** What moved, for `GET /trace`. No bodies, no secrets, no concrete paths: a token may stand in one. */
export interface TraceEntry {
  kind:
    | "request"
    | "invocation"
    | "bus-event"
    | "queue-message"
    | "stream-record"
    | "schedule"
    | "ledger-entry"
    | "access-denied";
  /** The route, function, rule or queue concerned. */
  name: string;
  /** Short facts such as `status`, `durationMs`, `requestId`, `batchSize`, `outcome`. */
  detail?: Record<string, string | number | boolean>;
}

export interface Trace {
  record(entry: TraceEntry): void;
}

export interface InvokeResult {
  /** The handler's answer, or Lambda's error document where `functionError` is set. */
  payload: unknown;
  functionError?: "Unhandled";
}

export interface FunctionInvoker {
  /**
   * Runs a function as Lambda's synchronous invocation does. A failing handler is a result with `functionError`;
   * only an invocation that never reaches the handler throws, an `InvocationRefused`.
   */
  invoke(functionNameOrArn: string, event: unknown): Promise<InvokeResult>;
}

/** Lambda's own refusals, named as its API names them. */
export class InvocationRefused extends Error {
  readonly code: "ResourceNotFoundException" | "TooManyRequestsException" | "RequestTooLargeException";

  constructor(code: InvocationRefused["code"], message: string) {
    super(message);
    this.name = code;
    this.code = code;
  }
}

/** One finished invocation, as the recorder of `npm run record` gets it. */
export interface ObservedInvocation {
  /** The deployed function's name and its folder under `functions/` (POWERTOOLS_SERVICE_NAME). */
  functionName: string;
  service: string;
  event: unknown;
  result: InvokeResult;
  durationMs: number;
}

export type InvocationObserver = (invocation: ObservedInvocation) => void;

/** A resource of the template, every intrinsic resolved. */
export interface Resource {
  stack: string;
  logicalId: string;
  type: string;
  properties: Record<string, unknown>;
  /** What `Ref` and names derive from: the table, queue, function or bus name. */
  physicalName: string;
  /** Empty for types that have none. */
  arn: string;
}

/** The synthesized app, read. */
export interface Assembly {
  region: string;
  account: string;
  resources: Resource[];
  /** The outputs of every stack by their output name. */
  outputs: Record<string, string>;
  ofType(type: string): Resource[];
  /** The resource with this ARN; undefined where the template has none. */
  byArn(arn: string): Resource | undefined;
  /** The folder or file that holds a function's code. */
  assetPath(resource: Resource): string;
}
