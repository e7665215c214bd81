import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import type { z } from "zod";
import { AuthorizerContext } from "../../contract/authorizer-context.ts";
import type { Fault } from "../../contract/errors.ts";
import { idempotencyKey } from "../../contract/primitives.ts";
import {
  type AnswerFormat,
  type Document,
  type DocumentFormat,
  mediaTypes,
  pathParameterNames,
  type Route,
} from "../../contract/route.ts";
import { createOnce, type IdempotencyKey } from "../idempotency.ts";
import { sha256 } from "../sha256.ts";
import { ApiError, invalid } from "./api-error.ts";
import { chooseFormat, formatFaults } from "./choose-format.ts";
import { findDoubledKey } from "./doubled-key.ts";
import { bodyFaults, toFaults } from "./faults.ts";
import { isInUtf8, isRepeatedHeader, readHeader } from "./header.ts";
import { readLines } from "./read-lines.ts";
import type { Operation } from "./request.ts";
import { requireAllowed } from "./require-allowed.ts";
import { baseHeaders, isSendable, toResponse } from "./response.ts";
import { findChanged, type Shown, splitShown } from "./shown-fields.ts";

/**
 * The key's role decides first: before the body is read, and before what exists. Tenant-level keys
 * get empty lists of a Program. For Program-level keys the Tenant's endpoints do not exist.
 * @throws ApiError
 */
export async function serveRequest(
  route: Route,
  operation: Operation<Route>,
  event: APIGatewayProxyEvent,
  shown?: Shown,
): Promise<APIGatewayProxyResult> {
  const { requestId } = event.requestContext;
  const caller = AuthorizerContext.parse(event.requestContext.authorizer);
  requireAllowed(caller, route);
  const isVisible = (route.level ?? "program") === caller.level;
  if (!isVisible && (caller.level === "program" || route.responseKind !== "list"))
    throw new ApiError("NOT_FOUND");
  const { path, query, body, format, idempotency, readOnly } = validateRequest(route, event, shown);
  if (shown && Object.keys(readOnly).length > 0) {
    const faults = await findChanged(shown, readOnly, { scope: caller, requestId, path });
    if (faults.length > 0) throw new ApiError("VALIDATION_FAILED", faults);
  }
  const run = () =>
    operation({
      scope: caller,
      requestId,
      path,
      query,
      body,
      ...(route.formats && { format }),
      ...((route.movesFunds || route.hashesItself) && idempotency && { idempotency }),
    } as never);
  const output = isVisible ? await runOnce(route, caller, idempotency, run) : { items: [], total: 0 };
  const page = query as { limit?: number; offset?: number } | undefined;
  const answer =
    format !== "json" && isDocument(output)
      ? toDocumentResponse(format, output, requestId)
      : toResponse(route, output, page, requestId);
  if (isSendable(answer.body)) return answer;
  const instead = route.inPages ? `: ${route.inPages} answers it in pages` : "";
  const message = `must ask for less: the answer is larger than 6 MB${instead}`;
  throw invalid(page?.limit === undefined ? "query" : "query.limit", "too_big", message);
}

/** What moves funds keeps its answer itself, in the transaction that it answers. */
function runOnce(
  { creates, hashesItself }: Route,
  caller: ReturnType<typeof AuthorizerContext.parse>,
  key: IdempotencyKey | undefined,
  run: () => Promise<unknown>,
): Promise<unknown> {
  if (!creates || hashesItself || !key) return run();
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
  /** What a PUT has as GET shows it: it must not differ. */
  readonly readOnly: Readonly<Record<string, unknown>>;
}

const identifier = /^[a-z]{3}_[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/**
 * Validates path, query, body and `Idempotency-Key`, and lists every fault.
 * @throws ApiError NOT_FOUND for a malformed path parameter; UNSUPPORTED_MEDIA_TYPE;
 * MALFORMED_BODY (400) if any fault is of UTF-8, of JSON or of a type; VALIDATION_FAILED (422) if
 * only values are wrong; NOT_ACCEPTABLE
 */
export function validateRequest(route: Route, event: APIGatewayProxyEvent, shown?: Shown): ValidatedRequest {
  const path = readPath(route, event);
  const query = readQuery(route, event);
  const body = route.lines ? readLines(event) : readBody(route, event, shown);
  const key = readIdempotencyKey(route, event);
  const faults = [...query.faults, ...formatFaults(route, event), ...body.faults, ...key.faults];
  if (body.malformed) throw new ApiError("MALFORMED_BODY", faults);
  if (faults.length > 0) throw new ApiError("VALIDATION_FAILED", faults);
  return {
    path,
    query: query.value,
    body: body.value,
    format: chooseFormat(route, event),
    readOnly: ("readOnly" in body && body.readOnly) || {},
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
  if (isRepeatedHeader(event, "idempotency-key"))
    return { faults: [{ path, code: "repeated", message: "must be given once" }] };
  const parsed = idempotencyKey.safeParse(header);
  return parsed.success
    ? { value: parsed.data, faults: [] }
    : { faults: parsed.error.issues.map(({ code, message }) => ({ path, code, message })) };
}

/** Takes only declared parameters, each once: a misspelt filter would answer everybody's rows. */
export function readQuery(
  { query: schema, formats }: Route,
  event: APIGatewayProxyEvent,
): { readonly value?: unknown; readonly faults: readonly Fault[] } {
  const declared = [...Object.keys(schema?.shape ?? {}), ...(formats ? ["format"] : [])];
  const values: Record<string, string> = {};
  const faults: Fault[] = [];
  for (const [name, all] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
    if (!declared.includes(name)) faults.push(unknownParameter(name, declared));
    else if (all && all.length > 1)
      faults.push({ path: `query.${name}`, code: "repeated", message: "must be given once" });
    // `chooseFormat` reads the format.
    else if (all?.[0] !== undefined && Object.hasOwn(schema?.shape ?? {}, name)) values[name] = all[0];
  }
  const parsed = schema?.safeParse(values);
  const isRepeated = (name: unknown) => faults.some(({ path }) => path === `query.${String(name)}`);
  const wrong = parsed?.error?.issues.filter(({ path: [name] }) => !isRepeated(name)) ?? [];
  return parsed?.success && faults.length === 0
    ? { value: parsed.data, faults }
    : { faults: [...faults, ...toFaults("query", wrong)] };
}

function unknownParameter(name: string, declared: readonly string[]): Fault {
  const what = declared.length === 0 ? "takes none" : `takes ${declared.toSorted().join(", ")}`;
  const message = `is not a parameter of this endpoint, which ${what}`;
  return { path: `query.${name}`, code: "unknown_parameter", message };
}

export interface Body {
  readonly value?: unknown;
  readonly faults: readonly Fault[];
  /** Whether a fault is of JSON or of a type. */
  readonly malformed?: boolean;
  /** Fields that the endpoint shows, and does not take. */
  readonly readOnly?: Readonly<Record<string, unknown>>;
}

/**
 * A POST without required fields can omit its body. A PUT cannot: it would change nothing.
 * @throws ApiError UNSUPPORTED_MEDIA_TYPE for a charset that is not UTF-8, and for what is encoded
 */
export function readBody(route: Route, event: APIGatewayProxyEvent, shown?: Shown): Body {
  const { body: schema, method } = route;
  if (!schema) return { faults: [] };
  requirePlain(event);
  const text = readText(event);
  if (text === undefined) return malformed("invalid_utf8", "must be UTF-8");
  if (text.trim() === "") {
    const parsed = schema.safeParse({});
    return parsed.success && method === "POST"
      ? { value: parsed.data, faults: [] }
      : malformed("empty_body", "must not be empty");
  }
  const json = parseObject(text);
  if ("faults" in json) return json.faults;
  const { taken, readOnly } = splitShown(route, shown, json.value);
  return { ...readFields(schema, taken), readOnly };
}

/** A line. */
export function readJson(schema: z.ZodObject, text: string): Body {
  const json = parseObject(text);
  return "faults" in json ? json.faults : readFields(schema, json.value);
}

function parseObject(text: string): { readonly value: Record<string, unknown> } | { readonly faults: Body } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { faults: malformed("invalid_json", "must be JSON") };
  }
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    return { faults: malformed("not_an_object", "must be a JSON object") };
  }
  const doubled = findDoubledKey(text);
  if (doubled !== undefined)
    return { faults: malformed("repeated", "must be given once", `body.${doubled}`) };
  return { value: json as Record<string, unknown> };
}

/** JSON is UTF-8 (RFC 8259, 8.1). A body in another charset, or compressed, would be read wrong. */
function requirePlain({ headers, body }: APIGatewayProxyEvent): void {
  if (!body) return;
  if (!isInUtf8(headers)) throw unsupported("Content-Type", "must name no charset but utf-8");
  if (!/^(identity)?$/i.test(readHeader(headers, "content-encoding")?.trim() ?? ""))
    throw unsupported("Content-Encoding", "must be left out: the body is taken as it is, not compressed");
}

const unsupported = (header: string, message: string) =>
  new ApiError("UNSUPPORTED_MEDIA_TYPE", [{ path: `header.${header}`, code: "not_supported", message }]);

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

/** Every object has it from elsewhere: as the caller's own key it would be dropped. */
function ownPrototypes(json: Record<string, unknown>): Fault[] {
  return Object.entries(json)
    .filter(([, value]) => typeof value === "object" && value !== null && Object.hasOwn(value, "__proto__"))
    .map(([name]) => ({
      path: `body.${name}.__proto__`,
      code: "invalid_key",
      message: "must have another name",
    }));
}

/** Zod throws a TypeError for an object whose `toString` is no function: the caller's fault. */
function readFields(schema: NonNullable<Route["body"]>, json: Record<string, unknown>): Body {
  try {
    const parsed = schema.safeParse(json, { reportInput: true });
    const lost = ownPrototypes(json);
    if (parsed.success) return { value: parsed.data, faults: lost };
    const { faults, malformed } = bodyFaults(schema, json, parsed.error);
    return { faults: [...lost, ...faults], malformed };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return malformed("incomparable_value", "must not have an object in the place of a value");
  }
}

function malformed(code: string, message: string, path = "body"): Body {
  return { malformed: true, faults: [{ path, code, message }] };
}

/** A document in the format that the caller accepts. */
function toDocumentResponse(
  format: DocumentFormat,
  { document, fileName }: Document,
  requestId: string,
): APIGatewayProxyResult {
  const mediaType = mediaTypes[format];
  const headers = {
    ...baseHeaders(requestId),
    "Content-Type": format === "pdf" ? mediaType : `${mediaType}; charset=utf-8`,
    "Content-Disposition": `attachment; filename="${fileName}"`,
  };
  return { statusCode: 200, headers, body: document };
}
