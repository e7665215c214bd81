import type * as z from "zod";
import { parseJson } from "../platform/parse-json.ts";
import { RefusedInputError } from "./refused-input-error.ts";

type Reviver = Parameters<typeof JSON.parse>[1];

/** @throws RefusedInputError */
export function readJson(body: string, reviver?: Reviver): unknown {
  const json = parseJson(body, reviver);
  if (json === undefined) throw new RefusedInputError("MALFORMED_BODY", "It is not JSON.");
  return json;
}

/** What is not JSON does not have the shape. @throws RefusedInputError with every fault */
export function readShape<S extends z.ZodType>(Shape: S, body: string): z.output<S> {
  const read = Shape.safeParse(parseJson(body));
  if (read.success) return read.data;
  const faults = read.error.issues.map(({ path, message }) => `${path.join(".") || "body"}: ${message}`);
  throw new RefusedInputError("VALIDATION_FAILED", faults.join("; "));
}
