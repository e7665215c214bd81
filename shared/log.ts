import { Logger } from "@aws-lambda-powertools/logger";

/** Structured log lines. Nothing that a caller sent goes in whole: ids, codes and causes only. */
export const log = new Logger();
