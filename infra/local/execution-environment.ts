import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { type Rules, recordUsedGrant, type UsedGrant } from "./access/access-control.ts";
import { appendLog } from "./append-log.ts";
import type { InvokeResult, RepeatableThreads, ThreadOrder, Trace, TraceEntry } from "./interfaces.ts";

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
  /** Its thread checks calls of services by them. */
  rules: Rules;
  trace: Trace;
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
  rules: Rules;
  order: ThreadOrder | undefined;
}

export interface InvocationMessage {
  requestId: string;
  /** JSON. */
  payload: string;
  invokedFunctionArn: string;
  timeoutMs: number;
}

interface ErrorDocument {
  errorType: string;
  errorMessage: string;
  trace?: string[];
}

export type WorkerMessage =
  | { kind: "ready" }
  | { kind: "used"; grant: UsedGrant }
  | { kind: "traced"; entry: TraceEntry }
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
  readonly #initialized = Promise.withResolvers<ErrorDocument | undefined>();
  #current: { requestId: string; settle: (result: InvokeResult) => void } | undefined;
  #broken: ErrorDocument | undefined;
  #isStopping = false;

  constructor(script: URL, settings: FunctionSettings, clockOffset: SharedArrayBuffer, log: FunctionLog) {
    const { codeDirectory, handler, identity, rules, order, variables, memoryMb } = settings;
    const opened = order && { module: order.module, seed: order.seed, outside: order.openPort() };
    const given = { codeDirectory, handler, clockOffset, identity, rules, logFile: log.file };
    const workerData: WorkerData = { ...given, order: opened };
    this.settings = settings;
    this.#log = log;
    this.#worker = new Worker(script, {
      workerData,
      name: settings.service,
      transferList: opened ? [opened.outside] : [],
      env: variables,
      argv: [],
      execArgv: [],
      // By default, the space for new objects grows to 48 MB in each.
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 8 },
    });
    const initTimer = setTimeout(() => this.#break(timedOut(initTimeoutMs)), initTimeoutMs);
    this.#initialized.promise.finally(() => clearTimeout(initTimer));
    this.#worker.on("message", (message: WorkerMessage) => this.#receive(message));
    this.#worker.on("error", (error: unknown) => this.#break(crash(error)));
    this.#worker.on("exit", (code) => this.#break(exited(code)));
  }

  get isBroken(): boolean {
    return this.#broken !== undefined;
  }

  /** As in Lambda, loading does not count towards the timeout. */
  async invoke(invocation: Omit<InvocationMessage, "timeoutMs">): Promise<InvokeResult> {
    const { requestId } = invocation;
    const failure = (await this.#initialized.promise) ?? this.#broken;
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
    await this.#initialized.promise;
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
    if (message.kind === "ready") this.#initialized.resolve(undefined);
    else if (message.kind === "init-failed") this.#break(message.error);
    else if (message.kind === "used") recordUsedGrant(message.grant);
    else if (message.kind === "traced") this.settings.trace.record(message.entry);
    else if (message.kind === "measured") this.#log.hear(message.lines);
    else if (this.#current?.requestId !== message.requestId) return;
    else if (message.kind === "succeeded") this.#current.settle({ payload: JSON.parse(message.payload) });
    else this.#current.settle({ payload: message.error, functionError: "Unhandled" });
  }

  #break(error: ErrorDocument): void {
    if (this.#broken !== undefined) return;
    this.#broken = error;
    const line = JSON.stringify({ message: "The execution environment ended", ...error });
    if (!this.#isStopping) appendLog(this.#log.file, `${line}\n`);
    this.#initialized.resolve(error);
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

const esbuild = fileURLToPath(import.meta.resolve("esbuild/bin/esbuild"));
/** Its name appears in stack traces instead of the whole URL. */
const source = "function-worker.ts";
const words = [source, "--bundle", "--platform=node", "--format=esm", `--footer:js=//# sourceURL=${source}`];
const options = { cwd: import.meta.dirname, encoding: "utf8" } as const;
let script: Promise<URL> | undefined;

/**
 * The functions' worker as JavaScript: a thread that strips types itself takes 10 MB for that.
 * Made once, beside other work.
 */
export function workerScript(): Promise<URL> {
  script ??= promisify(execFile)(esbuild, words, options).then(
    ({ stdout }) => new URL(`data:text/javascript,${encodeURIComponent(stdout)}`),
  );
  return script;
}
