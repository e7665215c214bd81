import type { EventLoopUtilization } from "node:perf_hooks";
import { Worker } from "node:worker_threads";
import type { Decided } from "./access/checked-calls.ts";
import type { CheckedCall } from "./access/read-call.ts";
import { appendLog } from "./append-log.ts";
import type { InvokeResult, RepeatableThreads, ThreadOrder } from "./interfaces.ts";
import { functionWorkerScript } from "./worker-script.ts";

interface FunctionIdentity {
  functionName: string;
  functionVersion: string;
  invokedFunctionArn: string;
  memoryLimitInMB: string;
  logGroupName: string;
  logStreamName: string;
}

export interface FunctionSettings {
  identity: FunctionIdentity;
  /** The folder under `functions/`. */
  service: string;
  codeDirectory: string;
  handler: string;
  timeoutMs: number;
  memoryMb: number;
  variables: Record<string, string>;
  reservedConcurrency: number | undefined;
  /** Lambda does not stop it where it causes its own invocations. */
  allowsLoops: boolean;
  /** Whether a call of a service is allowed. */
  decide: (call: CheckedCall) => Decided;
  order?: RepeatableThreads | undefined;
}

/** A function's log: its threads write the file, and hand over lines with metrics. */
export interface FunctionLog {
  readonly file: string;
  hear(lines: string): void;
}

export interface WorkerData {
  codeDirectory: string;
  handler: string;
  clockOffset: SharedArrayBuffer;
  identity: FunctionIdentity;
  logFile: string;
  order: ThreadOrder | undefined;
}

export interface InvocationMessage {
  requestId: string;
  /** JSON. */
  payload: string;
  traceHeader: string | undefined;
  invokedFunctionArn: string;
  timeoutMs: number;
}

/** The answer to a `call`. */
export interface DecisionMessage {
  callNumber: number;
  /** Undefined for a call that cannot be read. */
  decided: Decided | undefined;
}

interface ErrorDocument {
  errorType: string;
  errorMessage: string;
  trace?: string[];
}

export type WorkerMessage =
  | { kind: "ready" }
  | { kind: "call"; callNumber: number; call: CheckedCall }
  | { kind: "measured"; lines: string }
  | { kind: "init-failed"; error: ErrorDocument }
  | { kind: "succeeded"; requestId: string; payload: string }
  | { kind: "failed"; requestId: string; error: ErrorDocument };

const initTimeoutMs = 10_000;

/** A worker thread with one loaded function. Handles one invocation at a time until one fails. */
export class ExecutionEnvironment {
  readonly settings: FunctionSettings;
  readonly #worker: Worker;
  readonly #log: FunctionLog;
  readonly #initialized: Promise<ErrorDocument | undefined>;
  #settleInit: (error?: ErrorDocument) => void = () => {};
  #current: { requestId: string; settle: (result: InvokeResult) => void } | undefined;
  #broken: ErrorDocument | undefined;
  #isStopping = false;
  #looked: EventLoopUtilization | undefined;

  constructor(settings: FunctionSettings, clockOffset: SharedArrayBuffer, log: FunctionLog) {
    const { codeDirectory, handler, identity, order, variables, memoryMb } = settings;
    const opened = order && { module: order.module, seed: order.seed, outside: order.openPort() };
    const given = { codeDirectory, handler, clockOffset, identity, logFile: log.file };
    const workerData: WorkerData = { ...given, order: opened };
    this.settings = settings;
    this.#log = log;
    this.#worker = new Worker(functionWorkerScript(), {
      workerData,
      name: settings.service,
      transferList: opened ? [opened.outside] : [],
      env: variables,
      argv: [],
      execArgv: [],
      // By default, the space for new objects grows to 48 MB in each.
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 8 },
    });
    this.#initialized = new Promise((resolve) => {
      this.#settleInit = resolve;
    });
    const initTimer = setTimeout(() => this.#break(timedOut(initTimeoutMs)), initTimeoutMs);
    this.#initialized.finally(() => clearTimeout(initTimer));
    this.#worker.on("message", (message: WorkerMessage) => this.#receive(message));
    this.#worker.on("error", (error: unknown) => this.#break(crash(error)));
    this.#worker.on("exit", (code) => this.#break(exited(code)));
  }

  /** The share of the time since the last look that the thread worked. */
  utilization(): number {
    const { performance } = this.#worker;
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, this.#looked);
    this.#looked = now;
    return utilization;
  }

  get isBroken(): boolean {
    return this.#broken !== undefined;
  }

  /** As in Lambda, loading does not count towards the timeout. */
  async invoke(invocation: Omit<InvocationMessage, "timeoutMs">): Promise<InvokeResult> {
    const { requestId } = invocation;
    const failure = (await this.#initialized) ?? this.#broken;
    if (failure !== undefined) return failed(failure, requestId);
    const { timeoutMs } = this.settings;
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#break(timedOut(timeoutMs)), timeoutMs);
      const settle = (result: InvokeResult) => {
        clearTimeout(timer);
        this.#current = undefined;
        resolve(result);
      };
      this.#current = { requestId, settle };
      const message: InvocationMessage = { ...invocation, timeoutMs };
      this.#worker.postMessage(message);
    });
  }

  async initialize(): Promise<void> {
    await this.#initialized;
  }

  /** Ends the worker at once, as when Lambda loses a machine. */
  kill(): void {
    this.#break(killed);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#worker.terminate();
  }

  #receive(message: WorkerMessage): void {
    if (message.kind === "ready") this.#settleInit();
    else if (message.kind === "init-failed") this.#break(message.error);
    else if (message.kind === "call") this.#decide(message);
    else if (message.kind === "measured") this.#log.hear(message.lines);
    else if (this.#current?.requestId !== message.requestId) return;
    else if (message.kind === "succeeded") this.#current.settle({ payload: JSON.parse(message.payload) });
    else this.#current.settle({ payload: message.error, functionError: "Unhandled" });
  }

  #decide({ callNumber, call }: Extract<WorkerMessage, { kind: "call" }>): void {
    let decided: Decided | undefined;
    try {
      decided = this.settings.decide(call);
    } catch (error) {
      // The thread ends the connection of such a call.
      console.error(error);
    }
    const message: DecisionMessage = { callNumber, decided };
    this.#worker.postMessage(message);
  }

  #break(error: ErrorDocument): void {
    if (this.#broken !== undefined) return;
    this.#broken = error;
    const line = JSON.stringify({ message: "The execution environment ended", ...error });
    if (!this.#isStopping) appendLog(this.#log.file, `${line}\n`);
    this.#settleInit(error);
    this.#current?.settle(failed(error, this.#current.requestId));
    void this.#worker.terminate();
  }
}

function failed(error: ErrorDocument, requestId: string): InvokeResult {
  const errorMessage = error.errorMessage.replace("<requestId>", requestId);
  return { payload: { ...error, errorMessage }, functionError: "Unhandled" };
}

function timedOut(limitMs: number): ErrorDocument {
  const seconds = (limitMs / 1000).toFixed(2);
  const errorMessage = `RequestId: <requestId> Error: Task timed out after ${seconds} seconds`;
  return { errorType: "Sandbox.Timedout", errorMessage };
}

const killed: ErrorDocument = {
  errorType: "Runtime.ExitError",
  errorMessage: "RequestId: <requestId> Error: Runtime exited with error: signal: killed",
};

function exited(code: number): ErrorDocument {
  const errorMessage = `RequestId: <requestId> Error: Runtime exited with error: exit status ${code}`;
  return { errorType: "Runtime.ExitError", errorMessage };
}

function crash(error: unknown): ErrorDocument {
  if (error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY") {
    return { ...killed, errorType: "Runtime.OutOfMemory" };
  }
  if (!(error instanceof Error))
    return { errorType: "Runtime.UnhandledPromiseRejection", errorMessage: String(error) };
  return { errorType: error.name, errorMessage: error.message, trace: (error.stack ?? "").split("\n") };
}
