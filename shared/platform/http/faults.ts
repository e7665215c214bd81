import type { z } from "zod";
import type { Fault } from "../../contract/errors.ts";
import { nameJsonType } from "../../contract/fault-messages.ts";

/**
 * A wrong JSON type is malformed (400). A missing field, `null` for a required field and a wrong
 * value of the right type are validation faults (422).
 */
export function bodyFaults(
  schema: z.ZodObject,
  body: Record<string, unknown>,
  error: z.ZodError,
): { faults: Fault[]; malformed: boolean } {
  const malformed = error.issues.some((issue) => isWrongType(schema, body, issue));
  return { faults: toFaults("body", error.issues), malformed };
}

/** Each unknown field is a fault of its own, at its place. A query string has no types. */
export function toFaults(part: "query" | "body", issues: readonly z.core.$ZodIssue[]): Fault[] {
  return issues.flatMap((issue) => {
    const { code, path } = issue;
    const names = issue.code === "unrecognized_keys" ? issue.keys : undefined;
    const places = names?.map((name) => [...path, name]) ?? [path];
    const message = names ? issue.message.slice(names.join(", ").length + 1) : issue.message;
    return places.map((place) => ({ path: [part, ...place.map(String)].join("."), code, message }));
  });
}

function isWrongType(schema: z.ZodObject, body: Record<string, unknown>, issue: z.core.$ZodIssue): boolean {
  const value = issue.input;
  if (value === undefined) return false;
  if (value === null) return !isRequired(schema, body, issue.path);
  if (issue.code === "invalid_type") return jsonType(value) !== nameJsonType(issue.expected);
  if (issue.code === "invalid_value") return jsonType(value) !== jsonType(issue.values[0]);
  if (issue.code !== "invalid_union") return false;
  return issue.errors.every((alternative) =>
    alternative.some((one) => isWrongType(schema, body, { ...one, path: [...issue.path, ...one.path] })),
  );
}

function isRequired(schema: z.ZodObject, body: Record<string, unknown>, path: PropertyKey[]): boolean {
  const parsed = schema.safeParse(without(body, path));
  return !parsed.success && parsed.error.issues.some((issue) => issue.path.join("\0") === path.join("\0"));
}

/** A copy without the field. It shares everything off the path: a caller can nest without end. */
function without(value: unknown, [name, ...rest]: readonly PropertyKey[]): unknown {
  if (typeof value !== "object" || value === null || name === undefined) return value;
  const { [name]: field, ...others } = value as Record<PropertyKey, unknown>;
  return rest.length === 0 ? others : { ...others, [name]: without(field, rest) };
}

function jsonType(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
