import "./log.ts";
import "./table/client.ts";

/**
 * A handler whose work is imported with its first event: schemas and what is done by them are most of a function's code, and of its cold start. What
 * nothing can be done without, the log and the table's client, is made before, while Lambda initializes.
 */
export function deferredHandler<I extends readonly unknown[], R>(
  load: () => Promise<(...input: I) => Promise<R>>,
): (...input: I) => Promise<R> {
  return async (...input) => (await load())(...input);
}
