import type { APIGatewayProxyResult } from "aws-lambda";
import type { Route } from "../../contract/route.ts";
import { environment } from "../environment.ts";
import { log } from "../log.ts";
import { ContendedError } from "../table/retry.ts";
import { ApiError } from "./api-error.ts";

const waiting = new WeakSet<object>();

/** The answer is 202: what was asked for waits for the operator's approval. */
export function accepted<Output extends object>(output: Output): Output {
  waiting.add(output);
  return output;
}

/** Parses the output with the route's schema, so that no undeclared field leaves. */
export function toResponse(
  route: Route,
  output: unknown,
  query: { limit?: number; offset?: number } | undefined,
  requestId: string,
): APIGatewayProxyResult {
  const headers = { ...baseHeaders(requestId), ...deprecationHeaders(route) };
  if (route.responseKind === "detail") {
    return {
      statusCode: waiting.has(output as object) ? 202 : 200,
      headers,
      body: JSON.stringify({ status: "success", data: route.response.parse(output) }),
    };
  }
  const page = output as { items: unknown[]; total: number };
  // Not with the schema of an array: to make one takes longer than to parse a page.
  const items = page.items.map((item) => route.response.parse(item));
  const body = {
    status: "success",
    items,
    total: page.total,
    limit: query?.limit ?? items.length,
    offset: query?.offset ?? 0,
  };
  return { statusCode: 200, headers, body: JSON.stringify(body) };
}

/** Lambda's answers have at most 6,291,556 bytes, with the body as a text in JSON. */
export const isSendable = (body: string) =>
  body.length < 1_000_000 || Buffer.byteLength(JSON.stringify(body)) <= 6_200_000;

/** The error envelope. `errors` lists the request's faults. */
export function toErrorResponse(error: ApiError, requestId: string): APIGatewayProxyResult {
  const { code, message, faults, existingId, attemptsLeft } = error;
  const listed = error.status === 400 || error.status === 422 || faults.length > 0;
  const more = { existingId, attemptsLeft, ...(listed && { errors: faults }) };
  const body = { status: "error", code, message, requestId, ...more };
  return { statusCode: error.status, headers: baseHeaders(requestId), body: JSON.stringify(body) };
}

export function baseHeaders(requestId: string): Record<string, string> {
  return { "Content-Type": "application/json", "X-Request-Id": requestId };
}

/** RFC 9745: the date of the deprecation, and its explanation. */
function deprecationHeaders(route: Route): Record<string, string> {
  if (!route.deprecated) return {};
  return {
    Deprecation: `@${Date.parse(route.deprecated) / 1000}`,
    Link: `<${environment.documentationUrl}/docs/calling.html#deprecated-endpoints>; rel="deprecation"; type="text/html"`,
  };
}

/** Temporary failures of the store or the network. The caller can retry. */
const transientErrors = new Set([
  "ThrottlingException",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "TooManyRequestsException",
  "TransactionConflictException",
  "TimeoutError",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
]);

/** The caller's answer for an error. The cause of an unexpected error goes only to the log. */
export function publicError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof ContendedError) {
    log.warn("transaction contended", { actions: error.names });
    const keyContended = error.names.includes("idempotency");
    return new ApiError(keyContended ? "IDEMPOTENCY_IN_PROGRESS" : "UNAVAILABLE");
  }
  if (error instanceof Error && isTransient(error)) {
    log.warn("store unavailable", { error });
    return new ApiError("UNAVAILABLE");
  }
  log.error("unexpected error", { error });
  return new ApiError("INTERNAL");
}

function isTransient(error: Error & { readonly code?: unknown; readonly $fault?: unknown }): boolean {
  return (
    error.$fault === "server" || transientErrors.has(error.name) || transientErrors.has(String(error.code))
  );
}
