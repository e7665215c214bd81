import type { z } from "zod";
import type { Fault } from "../../contract/errors.ts";

type Issue = z.core.$ZodIssue;

/** A query string has no types: each fault is a wrong value. */
export function queryFaults(issues: readonly Issue[]): Fault[] {
  return issues.map((issue) => toFault("query", issue));
}

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
  const faults = error.issues.map((issue) => {
    const fault = toFault("body", issue);
    return isLeftOut(body, issue) ? { ...fault, message: "is required" } : fault;
  });
  return { faults, malformed };
}

/** Zod says of such a field that `undefined` is of a wrong type, or no value of an enum. */
function isLeftOut(body: unknown, { code, path, message }: Issue): boolean {
  return (
    (code === "invalid_type" || code === "invalid_value") &&
    message.startsWith("Invalid ") &&
    valueAt(body, path) === undefined
  );
}

function toFault(part: string, issue: Issue): Fault {
  return { path: [part, ...issue.path.map(String)].join("."), code: issue.code, message: toMessage(issue) };
}

/** As the platform's own messages say it, in place of zod's. */
function toMessage(issue: Issue): string {
  const { message } = issue;
  if (!message.startsWith("Invalid ")) return message;
  if (issue.code === "invalid_value") return `must be one of ${issue.values.map(String).join(", ")}`;
  if (issue.code !== "invalid_type") return message;
  return issue.expected === "int"
    ? "must be a whole number"
    : `must be of type ${expectedJsonType(issue.expected)}`;
}

function isWrongType(schema: z.ZodObject, body: Record<string, unknown>, issue: Issue): boolean {
  const value = valueAt(body, issue.path);
  if (value === undefined) return false;
  if (value === null) return !isRequired(schema, body, issue.path);
  if (issue.code === "invalid_type") return jsonType(value) !== expectedJsonType(issue.expected);
  if (issue.code === "invalid_value") return jsonType(value) !== jsonType(issue.values[0]);
  if (issue.code !== "invalid_union") return false;
  return issue.errors.every((alternative) =>
    alternative.some((one) => isWrongType(schema, body, { ...one, path: [...issue.path, ...one.path] })),
  );
}

function isRequired(schema: z.ZodObject, body: Record<string, unknown>, path: PropertyKey[]): boolean {
  const parsed = schema.safeParse(without(body, path));
  return !parsed.success && parsed.error.issues.some((issue) => samePath(issue.path, path));
}

/** A copy without the field. It shares everything off the path: a caller can nest without end. */
function without(value: unknown, [name, ...rest]: readonly PropertyKey[]): unknown {
  if (typeof value !== "object" || value === null || name === undefined) return value;
  const { [name]: field, ...others } = value as Record<PropertyKey, unknown>;
  return rest.length === 0 ? others : { ...others, [name]: without(field, rest) };
}

function samePath(left: readonly PropertyKey[], right: readonly PropertyKey[]): boolean {
  return left.length === right.length && left.every((part, index) => part === right[index]);
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const part of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}

function jsonType(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function expectedJsonType(expected: string): string {
  if (expected === "int" || expected === "nan") return "number";
  return expected === "record" ? "object" : expected;
}
