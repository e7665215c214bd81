/** What the parts of the local target know of each other. */

/** The one clock of a run: real time plus an offset that only grows. */
export interface Clock {
  /** Milliseconds since the epoch, as every function of this run sees them. */
  now(): number;
  /** One `BigInt64Array` element: the offset to real time in milliseconds. Workers read it with Atomics. */
  readonly sharedOffset: SharedArrayBuffer;
}

/** An entry of `GET /trace`. No bodies, no secrets, no concrete paths: a token may be part of one. */
export interface TraceEntry {
  /** `request`, `invocation`, `bus-event`, `queue-message`, `stream-record`, `schedule`, `access-denied`, … */
  kind: string;
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
   * only an invocation that never reaches the handler throws, an `InvocationRejected`.
   */
  invoke(functionNameOrArn: string, event: unknown): Promise<InvokeResult>;
}

/** Lambda's own rejection, named as its API names it. */
export class InvocationRejected extends Error {
  readonly code: "ResourceNotFoundException" | "TooManyRequestsException" | "RequestTooLargeException";

  constructor(code: InvocationRejected["code"], message: string) {
    super(message);
    this.name = code;
    this.code = code;
  }
}

/** One finished invocation. */
export interface ObservedInvocation {
  /** The deployed function's name and its folder under `functions/` (POWERTOOLS_SERVICE_NAME). */
  functionName: string;
  service: string;
  event: unknown;
  result: InvokeResult;
  durationMs: number;
}

export type InvocationObserver = (invocation: ObservedInvocation) => void;
