import type { z } from "zod";
import { type ErrorCode, errorCatalogue } from "../../../shared/contract/errors.ts";
import {
  answerFormats,
  maximumLines,
  mediaTypes,
  operationId,
  pathParameterNames,
  type Route,
} from "../../../shared/contract/route.ts";
import { routeErrors, routes } from "../../../shared/contract/routes.ts";
import { findShowing } from "../../../shared/platform/http/shown-fields.ts";
import { codeSamples } from "./code-samples.ts";
import type { RecordedRequests } from "./examples.ts";
import type { Json, Schemas } from "./schemas.ts";
import { operationDescriptions } from "./texts.ts";

/** Errors of every endpoint, from the authorizer or the gateway, and of an unknown parameter. */
export const commonErrors = [
  "API_KEY_INVALID",
  "CERTIFICATE_NOT_AUTHORIZED",
  "IP_NOT_AUTHORIZED",
  "REQUEST_BLOCKED",
  "SUSPENDED",
  "OPERATION_NOT_ALLOWED",
  "VALIDATION_FAILED",
  "RATE_LIMITED",
  "INTERNAL",
  "UNAVAILABLE",
] as const satisfies ErrorCode[];

/** Adds the error responses to the document's `responses`. */
export function operationOf(
  route: Route,
  recorded: RecordedRequests,
  { schemas, responses }: { schemas: Schemas; responses: Json },
): Json {
  const parameters = parametersOf(route, schemas);
  return {
    operationId: operationId(route),
    "x-access": route.access,
    summary: route.summary,
    description: operationDescriptions[operationId(route)],
    tags: [route.function],
    ...(route.deprecated && { deprecated: true }),
    parameters,
    ...(route.body && { requestBody: requestBody(route.body, route, recorded, schemas) }),
    ...(route.lines && { requestBody: linesBody(route.lines, recorded, schemas) }),
    responses: {
      200: success(route, recorded, schemas),
      ...(route.mayWait && { 202: waiting(route, recorded, schemas) }),
      ...failures(route, responses),
    },
    "x-codeSamples": codeSamples({
      method: route.method,
      path: route.api === "sandbox" ? `/sandbox${route.path}` : route.path,
      query: parameters.flatMap((one) => (one.in === "query" && one.required ? [String(one.name)] : [])),
      isKeyed: isKeyed(route),
      body: route.body || route.lines ? recorded.body : undefined,
    }),
  };
}

function parametersOf(route: Route, schemas: Schemas): Json[] {
  const inPath = pathParameterNames(route.path).map((name) => {
    const form = route.parameters?.[name];
    return {
      name,
      in: "path",
      required: true,
      schema: form ? schemas.of(form, "input") : { type: "string" },
    };
  });
  const query = route.query ? schemas.of(route.query, "output") : { properties: {} };
  const sent = route.query ? schemas.of(route.query, "input") : {};
  const required = (sent.required ?? []) as string[];
  const inQuery = Object.entries(query.properties as Json).map(([name, schema]) => ({
    name,
    in: "query",
    required: required.includes(name),
    schema,
  }));
  const format = {
    name: "format",
    in: "query",
    required: false,
    schema: { type: "string", enum: answerFormats(route), default: "json" },
  };
  const keyed = { $ref: "#/components/parameters/Idempotency-Key" };
  return [...inPath, ...inQuery, ...(route.formats ? [format] : []), ...(isKeyed(route) ? [keyed] : [])];
}

function isKeyed({ movesFunds, creates }: Route): boolean {
  return movesFunds === true || creates !== undefined;
}

function ofCreations({ creates }: Route): ErrorCode[] {
  return creates ? ["IDEMPOTENCY_MISMATCH", "IDEMPOTENCY_IN_PROGRESS", "ALREADY_CREATED"] : [];
}

/** A body with only optional fields is optional. */
function requestBody(body: z.ZodObject, route: Route, recorded: RecordedRequests, schemas: Schemas): Json {
  const examples = { recorded: { value: recorded.body } };
  const description = readOnlyFields(body, route);
  return {
    ...(description !== undefined && { description }),
    required: !body.safeParse({}).success,
    content: {
      "application/json": {
        schema: schemas.of(body, "input"),
        ...(recorded.body !== undefined && { examples }),
      },
    },
  };
}

/** What a PUT is given of the fields that it does not change. */
function readOnlyFields(body: z.ZodObject, route: Route): string | undefined {
  const showing = findShowing(route, routes);
  const names = Object.keys(showing?.response.shape ?? {}).filter((name) => !(name in body.shape));
  if (!showing || names.length === 0) return undefined;
  const shown = names.map((name) => `\`${name}\``).join(", ");
  return `What \`GET ${showing.path}\` shows, and this changes nothing of, is left out or sent as it is shown: ${shown}. Another value is 422 at its name.`;
}

/** JSON lines: the schema is of one. */
function linesBody(lines: z.ZodObject, recorded: RecordedRequests, schemas: Schemas): Json {
  const description = `One JSON object in each line, 1 to ${maximumLines} of them.`;
  const contentSchema = schemas.of(lines, "input");
  return {
    required: true,
    content: {
      "application/x-ndjson": {
        schema: { type: "string", contentMediaType: "application/json", contentSchema, description },
        ...(recorded.body !== undefined && { examples: { recorded: { value: recorded.body } } }),
      },
    },
  };
}

function waiting(route: Route, recorded: RecordedRequests, schemas: Schemas): Json {
  const description = "It waits for the operator's approval, in an environment without a sandbox.";
  return { ...success(route, recorded, schemas), description };
}

function success(route: Route, { answer, documents }: RecordedRequests, schemas: Schemas): Json {
  const one = schemas.of(route.response, "output");
  const envelope = { status: { const: "success", description: "Always `success`." } };
  const count = (description: string) => ({ type: "integer", minimum: 0, description });
  const properties =
    route.responseKind === "detail"
      ? { ...envelope, data: { ...one, description: "The answer." } }
      : {
          ...envelope,
          items: { type: "array", items: one, description: "The records of the page." },
          total: count("The number of all matching records."),
          limit: count("The maximum number of rows in a page."),
          offset: count("The number of skipped rows."),
        };
  const headers = { "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" } };
  const deprecation = {
    Deprecation: { $ref: "#/components/headers/Deprecation" },
    Link: { $ref: "#/components/headers/Link" },
  };
  return {
    description: route.responseKind === "detail" ? "Success." : "One page of the list.",
    headers: { ...headers, ...(route.deprecated && deprecation) },
    content: {
      "application/json": {
        schema: { type: "object", properties, required: Object.keys(properties) },
        examples: { recorded: { value: answer } },
      },
      ...documentsOf(route, documents),
    },
  };
}

/** The answers in other formats. */
function documentsOf({ formats = [] }: Route, recorded: RecordedRequests["documents"]): Json {
  return Object.fromEntries(
    formats.map((format) => {
      const value = recorded[format];
      const examples = { recorded: { value } };
      return [mediaTypes[format], { schema: { type: "string" }, ...(value !== undefined && { examples }) }];
    }),
  );
}

/** Groups errors by status; the document describes each kind of answer once. */
function failures(route: Route, responses: Json): Json {
  const ofBodies: ErrorCode[] = [
    ...(route.body || route.lines ? (["PAYLOAD_TOO_LARGE"] as const) : []),
    ...(route.body ? (["UNSUPPORTED_MEDIA_TYPE"] as const) : []),
  ];
  const codes = [
    ...new Set([...routeErrors(route), ...commonErrors, ...ofBodies, ...ofCreations(route)]),
  ].toSorted();
  const statuses = [...new Set(codes.map((code) => errorCatalogue[code].status))].toSorted((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const ofStatus = codes.filter((code) => errorCatalogue[code].status === status);
      const name = ofStatus.join(".");
      responses[name] ??= failure(ofStatus);
      return [status, { $ref: `#/components/responses/${name}` }];
    }),
  );
}

function failure(codes: readonly ErrorCode[]): Json {
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]);
  return {
    description: codes.map((code) => `\`${code}\`: ${errorCatalogue[code].message}`).join("\n"),
    headers: { "X-Request-Id": { $ref: "#/components/headers/X-Request-Id" } },
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Error" },
        examples: Object.fromEntries(examples),
      },
    },
  };
}
