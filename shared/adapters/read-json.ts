import type * as z from "zod";
import { RefusedInputError } from "./refused-input-error.ts";

/** @throws RefusedInputError */
export function readJson(body: string): unknown {
  const json = parse(body);
  if (json === undefined) throw new RefusedInputError("MALFORMED_BODY", "It is not JSON.");
  return json;
}

/** What is not JSON does not have the shape. @throws RefusedInputError with every fault */
export function readShape<S extends z.ZodType>(Shape: S, body: string): z.output<S> {
  const read = Shape.safeParse(parse(body));
  if (read.success) return read.data;
  const faults = read.error.issues.map(({ path, message }) => `${path.join(".") || "body"}: ${message}`);
  throw new RefusedInputError("VALIDATION_FAILED", faults.join("; "));
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
