import { AsyncLocalStorage } from "node:async_hooks";
import { Console } from "node:console";
import type { Cause } from "../contract/outbox.ts";
import { timestamp } from "./clock.ts";
import { environment } from "./environment.ts";
import { defined } from "./pick.ts";

const levels = ["DEBUG", "INFO", "WARN", "ERROR", "SILENT"];
type Level = "INFO" | "WARN" | "ERROR";
type Fields = Readonly<Record<string, unknown>>;

/** Log lines with correlation ids. Never log a caller's input: only ids, codes and causes. */
export const log = {
  info: (message: string, fields?: Fields): void => writeFrom("INFO", message, fields),
  warn: (message: string, fields?: Fields): void => writeFrom("WARN", message, fields),
  error: (message: string, fields?: Fields): void => writeFrom("ERROR", message, fields),
  /** Metrics are written at every log level except SILENT. */
  measured: (message: string, fields: Fields): void => {
    if (environment.logLevel !== "SILENT") write("INFO", message, fields);
  },
};

function writeFrom(level: Level, message: string, fields?: Fields): void {
  if (levels.indexOf(level) >= levels.indexOf(environment.logLevel)) write(level, message, fields);
}

/** Not the global `console`: Lambda puts a time and a request id before each of its lines. */
let output: Console | undefined;

/** Never throws. */
function write(level: Level, message: string, fields: Fields = {}): void {
  const { serviceName: service, traceId: xray_trace_id } = environment;
  const own = { level, message, timestamp: timestamp(), service, xray_trace_id };
  const line = toJson({ ...own, ...correlation(), ...fields, ...own });
  output ??= new Console(process.stdout, process.stderr);
  if (level === "INFO") output.log(line);
  else output.error(line);
}

function toJson(fields: Fields): string {
  try {
    return JSON.stringify(fields, toWritten);
  } catch {
    const writable = Object.entries(fields).filter(([, value]) => isWritable(value));
    return JSON.stringify(Object.fromEntries(writable), toWritten);
  }
}

/** A circular value cannot be written. */
function isWritable(value: unknown): boolean {
  try {
    JSON.stringify(value, toWritten);
    return true;
  } catch {
    return false;
  }
}

function toWritten(_name: string, value: unknown): unknown {
  if (typeof value === "bigint") return String(value);
  return value instanceof Error ? toLogged(value) : value;
}

/** Not all of an error's fields: AWS's errors can contain items. */
function toLogged(error: Error & { code?: unknown; $metadata?: unknown }) {
  const { name, message, code, stack, cause, $metadata } = error;
  return { name, message, code, stack, cause: cause instanceof Error ? cause : undefined, $metadata };
}

/** Ids in every log line of a piece of work. Never caller input. */
export interface Correlation extends Cause {
  readonly eventId?: string;
  /** `METHOD /path/{template}` */
  readonly route?: string;
  readonly command?: string;
}

/** One invocation can process several messages at the same time. */
const currentWork = new AsyncLocalStorage<{ ids: Correlation }>();

/** Runs `work` with these ids, added to those of the surrounding work. */
export function correlated<T>(ids: Correlation, work: () => T): T {
  return currentWork.run({ ids: { ...correlation(), ...defined(ids) } }, work);
}

/** Adds ids to the current work, if any. */
export function correlate(ids: Correlation): void {
  const work = currentWork.getStore();
  if (work) work.ids = { ...work.ids, ...defined(ids) };
}

export function correlation(): Correlation {
  return currentWork.getStore()?.ids ?? {};
}

/** The cause of the events that the current work writes; undefined if unknown. */
export function cause(): Cause | undefined {
  const { requestId, processorEventId, deadlineId } = correlation();
  const ids = defined({ requestId, processorEventId, deadlineId });
  return Object.keys(ids).length > 0 ? ids : undefined;
}
