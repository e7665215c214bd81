/** Runs in the worker thread and does what Lambda's runtime does around a handler. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parentPort, workerData } from "node:worker_threads";
import { AccessControl } from "./access/access-control.ts";
import { checkCalls } from "./access/checked-calls.ts";
import { appendLog } from "./append-log.ts";
import type { InvocationMessage, WorkerData, WorkerMessage } from "./execution-environment.ts";
import type { OrderlyThread, TraceEntry } from "./interfaces.ts";
import { leaveOutUndici } from "./lean-http.ts";
import { hideServiceDates, moveDate } from "./moved-date.ts";

type Handler = (event: unknown, context: unknown) => unknown;

const responseLimitBytes = 6_291_556;
/** Lines in embedded metric format have it. */
const metricsMark = '"_aws"';
const collectAfterIdleMs = 2_000;

const {
  codeDirectory,
  handler: handlerName,
  clockOffset,
  identity,
  logFile,
  rules,
  order,
}: WorkerData = workerData;

moveDate(clockOffset);
for (const output of [process.stdout, process.stderr]) output.write = writeLog;
leaveOutUndici();
hideServiceDates();
const trace = { record: (entry: TraceEntry) => send({ kind: "traced", entry }) };
checkCalls(new AccessControl(rules, trace, (grant) => send({ kind: "used", grant })));
const thread = await orderlyThread();
const handler = await loadHandler().catch((error: unknown) => {
  send({ kind: "init-failed", error: errorDocument(error) });
  return undefined;
});
if (handler !== undefined) {
  let untilCollection: NodeJS.Timeout | undefined;
  const collectOnce = () => {
    untilCollection = undefined;
    collectGarbage();
  };
  if (order === undefined) untilCollection = setTimeout(collectOnce, collectAfterIdleMs).unref();
  parentPort?.on("message", (message: InvocationMessage) => {
    untilCollection?.refresh();
    void invoke(handler, message);
  });
  send({ kind: "ready" });
}

/** Into the file itself: a line by way of the main thread took both 90 µs instead of 20. */
function writeLog(chunk: string | Uint8Array, ...more: unknown[]): boolean {
  appendLog(logFile, chunk);
  const lines = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
  if (lines.includes(metricsMark)) send({ kind: "measured", lines });
  const done = more.at(-1);
  if (typeof done === "function") process.nextTick(done);
  return true;
}

/** V8 collects nothing in an idle thread: what loading left, a third of the memory, would stay. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc")();
}

/** Undefined if the platform's inputs do not run in turns. */
async function orderlyThread(): Promise<OrderlyThread | undefined> {
  if (order === undefined) return undefined;
  const { orderThread } = await import(order.module);
  return orderThread(order, clockOffset, codeDirectory);
}

async function loadHandler(): Promise<Handler> {
  const dot = handlerName.lastIndexOf(".");
  const [moduleName, exportName] = [handlerName.slice(0, dot), handlerName.slice(dot + 1)];
  const candidates = ["mjs", "js", "cjs"].map((extension) =>
    join(codeDirectory, `${moduleName}.${extension}`),
  );
  const path = candidates.find((candidate) => existsSync(candidate));
  if (path === undefined) throw named("Runtime.ImportModuleError", `Cannot find module '${moduleName}'`);
  const module: Record<string, unknown> = await import(pathToFileURL(path).href);
  const found = module[exportName];
  if (typeof found !== "function")
    throw named("Runtime.HandlerNotFound", `${handlerName} is undefined or not exported`);
  return (event, context) => found(event, context);
}

async function invoke(
  run: Handler,
  { requestId, payload: event, invokedFunctionArn, timeoutMs }: InvocationMessage,
): Promise<void> {
  thread?.begin(requestId);
  const startedMs = performance.now();
  const getRemainingTimeInMillis = () => Math.max(0, Math.ceil(startedMs + timeoutMs - performance.now()));
  try {
    const context = { ...identity, invokedFunctionArn, awsRequestId: requestId, getRemainingTimeInMillis };
    const answer = await run(JSON.parse(event), { ...context, callbackWaitsForEmptyEventLoop: true });
    const payload = serialize(answer);
    const bytes = Buffer.byteLength(payload);
    if (bytes > responseLimitBytes) {
      const limit = `maximum allowed payload size (${responseLimitBytes} bytes)`;
      throw named(
        "Function.ResponseSizeTooLarge",
        `Response payload size (${bytes} bytes) exceeded ${limit}.`,
      );
    }
    send({ kind: "succeeded", requestId, payload });
  } catch (error) {
    const document = errorDocument(error);
    console.error(JSON.stringify({ message: "Invoke Error", requestId, ...document }));
    send({ kind: "failed", requestId, error: document });
  } finally {
    thread?.end();
  }
}

function serialize(answer: unknown): string {
  try {
    return JSON.stringify(answer) ?? "null";
  } catch {
    throw named("Runtime.MarshalError", "Unable to serialize the handler's response");
  }
}

function errorDocument(error: unknown): { errorType: string; errorMessage: string; trace: string[] } {
  if (error instanceof Error) {
    return { errorType: error.name, errorMessage: error.message, trace: (error.stack ?? "").split("\n") };
  }
  return { errorType: typeof error, errorMessage: String(error), trace: [] };
}

function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

function send(message: WorkerMessage): void {
  parentPort?.postMessage(message);
}
