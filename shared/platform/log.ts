import { AsyncLocalStorage } from "node:async_hooks";
import { Logger } from "@aws-lambda-powertools/logger";
import type { Cause } from "../contract/outbox.ts";

const lines = new Logger();
/** Metrics are written at every log level except SILENT. */
const measurements = new Logger({ logLevel: lines.getLevelName() === "SILENT" ? "SILENT" : "INFO" });

type Fields = Readonly<Record<string, unknown>>;

/** Log lines with correlation ids. Never log a caller's input: only ids, codes and causes. */
export const log = {
  info: (message: string, fields: Fields = {}): void => lines.info(message, { ...correlation(), ...fields }),
  warn: (message: string, fields: Fields = {}): void => lines.warn(message, { ...correlation(), ...fields }),
  error: (message: string, fields: Fields = {}): void =>
    lines.error(message, { ...correlation(), ...fields }),
  measured: (message: string, fields: Fields): void =>
    measurements.info(message, { ...correlation(), ...fields }),
};

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

function defined<T extends object>(ids: T): T {
  return Object.fromEntries(Object.entries(ids).filter(([, id]) => id !== undefined)) as T;
}
