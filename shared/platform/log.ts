import { Logger } from "@aws-lambda-powertools/logger";
import { correlation } from "./correlation.ts";

const lines = new Logger();
/** What is measured is told whatever the level of the log, unless it is silent altogether. */
const measurements = new Logger({ logLevel: lines.getLevelName() === "SILENT" ? "SILENT" : "INFO" });

/** Ids, codes and causes. */
type Facts = Readonly<Record<string, unknown>>;

/** Structured log lines, each with the ids of the work that it tells of. Nothing that a caller sent goes in whole: ids, codes and causes only. */
export const log = {
  info: (message: string, facts: Facts = {}): void => lines.info(message, { ...correlation(), ...facts }),
  warn: (message: string, facts: Facts = {}): void => lines.warn(message, { ...correlation(), ...facts }),
  error: (message: string, facts: Facts = {}): void => lines.error(message, { ...correlation(), ...facts }),
  /** A line that holds measurements as well: shared/platform/metrics.ts. */
  measured: (message: string, facts: Facts): void =>
    measurements.info(message, { ...correlation(), ...facts }),
};
