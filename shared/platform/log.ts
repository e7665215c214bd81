import { Logger } from "@aws-lambda-powertools/logger";
import { correlation } from "./correlation.ts";

const lines = new Logger();
/** Metrics are written at every log level except SILENT. */
const measurements = new Logger({ logLevel: lines.getLevelName() === "SILENT" ? "SILENT" : "INFO" });

type Facts = Readonly<Record<string, unknown>>;

/** Structured log lines with the correlation ids. Never log a caller's input: only ids, codes and causes. */
export const log = {
  info: (message: string, facts: Facts = {}): void => lines.info(message, { ...correlation(), ...facts }),
  warn: (message: string, facts: Facts = {}): void => lines.warn(message, { ...correlation(), ...facts }),
  error: (message: string, facts: Facts = {}): void => lines.error(message, { ...correlation(), ...facts }),
  /** A line with metrics: shared/platform/metrics.ts. */
  measured: (message: string, facts: Facts): void =>
    measurements.info(message, { ...correlation(), ...facts }),
};
