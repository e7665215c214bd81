import "./log.ts";
import "./table/client.ts";
import type { Context } from "aws-lambda";
import { loadOnce } from "./load-once.ts";
import { withinInvocation } from "./time-budget.ts";

/** Imports the work with the first event. Log and table client load with the handler. */
export function deferredHandler<I extends readonly [event: unknown, context?: Context], R>(
  load: () => Promise<(...input: I) => Promise<R>>,
): (...input: I) => Promise<R> {
  const loaded = loadOnce(load);
  return (...input) => withinInvocation(input[1], async () => (await loaded())(...input));
}
