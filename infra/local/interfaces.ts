import type { MessagePort } from "node:worker_threads";
import { z } from "zod";

/** The run's only clock: real time plus an offset that only grows. */
export interface Clock {
  now(): number;
  /** One `BigInt64Array` element with the offset in milliseconds. Workers read it with Atomics. */
  readonly sharedOffset: SharedArrayBuffer;
}

/**
 * An entry of `GET /trace`. It has no bodies, secrets or concrete paths, which may contain tokens.
 */
export interface TraceEntry {
  /** `request`, `invocation`, `bus-event`, `queue-message`, `stream-record`, `schedule`, … */
  kind: string;
  /** The route, function, rule or queue. */
  name: string;
  /** Short facts such as `status`, `durationMs`, `requestId`, `batchSize`, `outcome`. */
  detail?: Record<string, string | number | boolean>;
  /** What it is about, for pages that name it and lead to it. */
  about?: Record<string, string>;
}

export interface Trace {
  record(entry: TraceEntry): void;
}

export interface InvokeResult {
  /** The handler's answer, or Lambda's error document if `functionError` is set. */
  payload: unknown;
  functionError?: "Unhandled";
}

export interface FunctionInvoker {
  /** Throws InvocationRejected only if the invocation never reaches the handler. */
  invoke(functionNameOrArn: string, event: unknown): Promise<InvokeResult>;
}

/** What a service answers a call that it refuses. */
export class ServiceError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const rejections = {
  ResourceNotFoundException: 404,
  RequestTooLargeException: 413,
  TooManyRequestsException: 429,
} as const;

export class InvocationRejected extends ServiceError {
  constructor(code: keyof typeof rejections, message: string) {
    super(rejections[code], code, message);
    this.name = code;
  }
}

/** @throws ServiceError as AWS answers an input that does not fit */
export function takeInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const { success, data, error } = schema.safeParse(input);
  if (success) return data;
  throw new ServiceError(400, "ValidationException", z.prettifyError(error));
}

export interface ObservedInvocation {
  /** The deployed function's name, and its folder under `functions/` (SERVICE_NAME). */
  functionName: string;
  service: string;
  event: unknown;
  result: InvokeResult;
  durationMs: number;
}

export type InvocationObserver = (invocation: ObservedInvocation) => void;

/** A module whose `seedThread` replaces a thread's randomness. */
export interface SeededThread {
  /** Its URL. */
  readonly module: string;
  readonly seed: string;
}

/** A module whose `orderThread` makes the threads of functions repeatable. */
export interface RepeatableThreads extends SeededThread {
  /** What a thread asks before it calls what is no service of the platform. */
  openPort(): MessagePort;
}

export interface ThreadOrder extends SeededThread {
  readonly outside: MessagePort;
}

/** What `orderThread` returns. */
export interface OrderlyThread {
  /** The invocation's id is its seed. */
  begin(invocationId: string): void;
  end(): void;
}
