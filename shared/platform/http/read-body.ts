import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Fault } from "../../contract/errors.ts";
import type { Route } from "../../contract/route.ts";
import { ApiError } from "./api-error.ts";
import { bodyFaults } from "./faults.ts";
import { readHeader } from "./header.ts";

interface Body {
  readonly value?: unknown;
  readonly faults: readonly Fault[];
  /** Whether a fault is of JSON or of a type. */
  readonly malformed?: boolean;
}

/**
 * A POST without required fields can omit its body. A PUT cannot: it would change nothing.
 * @throws ApiError UNSUPPORTED_MEDIA_TYPE for a charset that is not UTF-8
 */
export function readBody({ body: schema, method }: Route, event: APIGatewayProxyEvent): Body {
  if (!schema) return { faults: [] };
  requireUtf8(event);
  const text = readText(event);
  if (text === undefined) return malformed("invalid_utf8", "must be UTF-8");
  if (text.trim() === "") {
    const parsed = schema.safeParse({});
    return parsed.success && method === "POST"
      ? { value: parsed.data, faults: [] }
      : malformed("empty_body", "must not be empty");
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return malformed("invalid_json", "must be JSON");
  }
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    return malformed("not_an_object", "must be a JSON object");
  }
  return readFields(schema, json as Record<string, unknown>);
}

/** JSON is UTF-8 (RFC 8259, 8.1). Whoever declares another charset would be read wrong. */
function requireUtf8({ headers, body }: APIGatewayProxyEvent): void {
  const [, quoted, plain] =
    /;\s*charset\s*=\s*(?:"([^"]*)"|([^\s;]*))/i.exec(readHeader(headers, "content-type") ?? "") ?? [];
  const charset = (quoted ?? plain)?.trim().toLowerCase();
  if (body && charset !== undefined && !/^utf-?8$/.test(charset))
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE");
}

/**
 * The gateway hands over the bytes in base64: in a text it would have replaced those that are not
 * UTF-8. Undefined if they are not.
 */
function readText({ body, isBase64Encoded }: APIGatewayProxyEvent): string | undefined {
  if (!isBase64Encoded) return body ?? "";
  try {
    // A byte order mark stays, and is no JSON.
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(body ?? "", "base64"),
    );
  } catch {
    return undefined;
  }
}

/** Zod throws a TypeError for an object whose `toString` is no function: the caller's fault. */
function readFields(schema: NonNullable<Route["body"]>, json: Record<string, unknown>): Body {
  try {
    const parsed = schema.safeParse(json);
    return parsed.success ? { value: parsed.data, faults: [] } : bodyFaults(schema, json, parsed.error);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return malformed("incomparable_value", "must not have an object in the place of a value");
  }
}

function malformed(code: string, message: string): Body {
  return { malformed: true, faults: [{ path: "body", code, message }] };
}
