import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import { AuthorizerContext } from "../../contract/authorizer-context.ts";
import type { Fault } from "../../contract/errors.ts";
import { idempotencyKey } from "../../contract/primitives.ts";
import { type AnswerFormat, type Document, pathParameterNames, type Route } from "../../contract/route.ts";
import { createOnce, type IdempotencyKey } from "../idempotency.ts";
import { sha256 } from "../sha256.ts";
import { ApiError } from "./api-error.ts";
import { chooseFormat, formatFaults } from "./choose-format.ts";
import { toDocumentResponse } from "./document-response.ts";
import { readHeader } from "./header.ts";
import { readBody } from "./read-body.ts";
import { readQuery } from "./read-query.ts";
import type { Operation } from "./request.ts";
import { toResponse } from "./response.ts";

/**
 * Tenant-level keys get empty lists of a Program. For Program-level keys the Tenant's endpoints do
 * not exist.
 * @throws ApiError
 */
export async function serveRequest(
  route: Route,
  operation: Operation<Route>,
  event: APIGatewayProxyEvent,
): Promise<APIGatewayProxyResult> {
  const { requestId } = event.requestContext;
  const caller = AuthorizerContext.parse(event.requestContext.authorizer);
  const isVisible = (route.level ?? "program") === caller.level;
  if (!isVisible && (caller.level === "program" || route.responseKind !== "list"))
    throw new ApiError("NOT_FOUND");
  const { path, query, body, format, idempotency } = validateRequest(route, event);
  const run = () =>
    operation({
      scope: caller,
      requestId,
      path,
      query,
      body,
      ...(route.formats && { format }),
      ...(route.movesFunds && idempotency && { idempotency }),
    } as never);
  const output = isVisible ? await runOnce(route, caller, idempotency, run) : { items: [], total: 0 };
  if (format !== "json" && isDocument(output)) return toDocumentResponse(format, output, requestId);
  return toResponse(route, output, query as { limit?: number; offset?: number } | undefined, requestId);
}

/** What moves funds keeps its answer itself, in the transaction that it answers. */
function runOnce(
  { creates }: Route,
  caller: ReturnType<typeof AuthorizerContext.parse>,
  key: IdempotencyKey | undefined,
  run: () => Promise<unknown>,
): Promise<unknown> {
  if (!creates || !key) return run();
  const ownerId = caller.level === "program" ? caller.programId : caller.tenantId;
  return createOnce(ownerId, key, creates === true ? undefined : creates, run);
}

/** A document that is still made is answered in JSON, whatever the format. */
function isDocument(output: unknown): output is Document {
  return typeof output === "object" && output !== null && "document" in output;
}

interface ValidatedRequest {
  readonly path: Record<string, string>;
  readonly query: unknown;
  readonly body: unknown;
  readonly format: AnswerFormat;
  readonly idempotency: IdempotencyKey | undefined;
}

const identifier = /^[a-z]{3}_[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/**
 * Validates path, query, body and `Idempotency-Key`, and lists every fault.
 * @throws ApiError NOT_FOUND for a malformed path parameter; UNSUPPORTED_MEDIA_TYPE;
 * MALFORMED_BODY (400) if any fault is of UTF-8, of JSON or of a type; VALIDATION_FAILED (422) if
 * only values are wrong; NOT_ACCEPTABLE
 */
export function validateRequest(route: Route, event: APIGatewayProxyEvent): ValidatedRequest {
  const path = readPath(route, event);
  const query = readQuery(route, event);
  const body = readBody(route, event);
  const key = readIdempotencyKey(route, event);
  const faults = [...query.faults, ...formatFaults(route, event), ...body.faults, ...key.faults];
  if (body.malformed) throw new ApiError("MALFORMED_BODY", faults);
  if (faults.length > 0) throw new ApiError("VALIDATION_FAILED", faults);
  return {
    path,
    query: query.value,
    body: body.value,
    format: chooseFormat(route, event),
    idempotency:
      key.value === undefined
        ? undefined
        : {
            endpoint: `${route.method} ${route.path}`,
            key: key.value,
            requestHash: sha256(JSON.stringify([path, body.value])),
          },
  };
}

function readPath(route: Route, event: APIGatewayProxyEvent): Record<string, string> {
  const path: Record<string, string> = {};
  for (const name of pathParameterNames(route.path)) {
    const value = event.pathParameters?.[name] ?? "";
    const form = route.parameters?.[name];
    const isWellFormed = form ? form.safeParse(value).success : identifier.test(value);
    if (!isWellFormed) throw new ApiError("NOT_FOUND");
    path[name] = value;
  }
  return path;
}

interface Part<T> {
  readonly value?: T;
  readonly faults: readonly Fault[];
}

function readIdempotencyKey(route: Route, event: APIGatewayProxyEvent): Part<string> {
  const header = readHeader(event.headers, "idempotency-key");
  // Other methods are idempotent, and what is deprecated does nothing.
  if (header === undefined || route.method !== "POST" || route.deprecated) return { faults: [] };
  const path = "header.Idempotency-Key";
  if (!route.movesFunds && !route.creates) {
    const message = "cannot be honoured here: leave it out, and read before you repeat the request";
    return { faults: [{ path, code: "not_supported", message }] };
  }
  const parsed = idempotencyKey.safeParse(header);
  return parsed.success
    ? { value: parsed.data, faults: [] }
    : {
        faults: parsed.error.issues.map(({ code, message }) => ({
          path,
          code,
          message,
        })),
      };
}
