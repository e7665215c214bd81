import { z } from "zod";
import { decide } from "../access/policy.ts";
import { PolicyStatement } from "../access/read-policies.ts";
import type { InvokeResult } from "../interfaces.ts";
import { isObject } from "../template.ts";
import type { MockIntegration, RestApi } from "./rest-api.ts";

export interface Answer {
  status: number;
  headers: [name: string, value: string][];
  body: string;
}

type ContextVariables = Record<string, unknown>;

const internal = "Internal server error";
/** API Gateway's default answers: status, error type, message. */
const defaults = {
  ACCESS_DENIED: [403, "AccessDeniedException", "User is not authorized to access this resource"],
  AUTHORIZER_CONFIGURATION_ERROR: [500, "AuthorizerConfigurationException", internal],
  AUTHORIZER_FAILURE: [500, "InternalServerErrorException", internal],
  BAD_REQUEST: [400, "BadRequestException", "Bad Request"],
  INTEGRATION_TIMEOUT: [504, "InternalServerErrorException", "Endpoint request timed out"],
  INVALID_API_KEY: [403, "ForbiddenException", "Forbidden"],
  LAMBDA_FAILURE: [502, "InternalServerErrorException", internal],
  MISSING_AUTHENTICATION_TOKEN: [403, "MissingAuthenticationTokenException", "Missing Authentication Token"],
  REQUEST_TOO_LARGE: [413, "RequestTooLargeException", "HTTP content length exceeded 10485760 bytes."],
  THROTTLED: [429, "TooManyRequestsException", "Too Many Requests"],
  UNAUTHORIZED: [401, "UnauthorizedException", "Unauthorized"],
  UNSUPPORTED_MEDIA_TYPE: [415, "UnsupportedMediaTypeException", "Unsupported Media Type"],
} as const;

export type GatewayResponseType = keyof typeof defaults;

/** The API's own response, or the default of its class. */
export function gatewayAnswer(api: RestApi, type: GatewayResponseType, context: ContextVariables): Answer {
  const [status, error, message] = defaults[type];
  const { [type]: own, DEFAULT_4XX, DEFAULT_5XX } = api.gatewayResponses;
  const response = own ?? (status < 500 ? DEFAULT_4XX : DEFAULT_5XX);
  const variables = {
    ...context,
    error: { message, messageString: JSON.stringify(message), responseType: type },
  };
  const template = response?.template ?? '{"message":$context.error.messageString}';
  return {
    status: response?.status ?? status,
    headers: [
      ["Content-Type", "application/json"],
      ["x-amzn-ErrorType", error],
      ...parameterHeaders(response?.headers ?? {}, variables),
    ],
    body: substitute(template, variables),
  };
}

export const forbidden: Answer = {
  status: 403,
  headers: [
    ["Content-Type", "application/json"],
    ["x-amzn-ErrorType", "ForbiddenException"],
  ],
  body: '{"message":"Forbidden"}',
};

export function mockAnswer(
  { contentTypes, response }: MockIntegration,
  contentType: string,
  context: ContextVariables,
): Answer | GatewayResponseType {
  if (!contentTypes.includes(contentType)) return "UNSUPPORTED_MEDIA_TYPE";
  return {
    status: response.status,
    headers: [["Content-Type", "application/json"], ...parameterHeaders(response.headers, context)],
    body: substitute(response.template, context),
  };
}

/** Undefined if it is not a proxy response. Several values of a header are not known here. */
export function proxyAnswer(payload: unknown): Answer | undefined {
  if (!isObject(payload)) return undefined;
  const { statusCode, headers = {}, multiValueHeaders, body = "" } = payload;
  const status = typeof statusCode === "string" ? Number(statusCode) : statusCode;
  if (typeof status !== "number" || !Number.isInteger(status) || status < 200 || status > 599)
    return undefined;
  if ((typeof body !== "string" && body !== null) || multiValueHeaders !== undefined) return undefined;
  const all = readHeaders(headers);
  const hasType = all?.some(([name]) => name.toLowerCase() === "content-type");
  const typed = hasType ? all : all && [["Content-Type", "application/json"] as [string, string], ...all];
  return typed && { status, headers: typed, body: body ?? "" };
}

const remapped = ["connection", "content-length", "date", "server", "transfer-encoding", "www-authenticate"];

function readHeaders(headers: unknown): [string, string][] | undefined {
  if (headers === null) return [];
  if (!isObject(headers)) return undefined;
  const all = Object.entries(headers);
  if (all.some(([name, value]) => typeof value === "object" || !/^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name)))
    return undefined;
  // Control characters make an answer malformed; Node would throw.
  if (all.some(([, value]) => /[^\t\x20-\x7e\x80-\xff]/.test(String(value)))) return undefined;
  return all.map(([name, value]) => [
    remapped.includes(name.toLowerCase()) ? `x-amzn-Remapped-${name}` : name,
    String(value),
  ]);
}

function parameterHeaders(parameters: Record<string, string>, context: ContextVariables): [string, string][] {
  return Object.entries(parameters).flatMap(([name, expression]): [string, string][] => {
    const [, literal] = /^'(.*)'$/.exec(expression) ?? [];
    const value = literal ?? contextValue(expression.replace(/^context\./, ""), context);
    return value === undefined ? [] : [[name, value]];
  });
}

/** Substitutes `$context.…` without escaping, like API Gateway. Missing values become empty. */
function substitute(template: string, context: ContextVariables): string {
  return template.replaceAll(
    /\$context\.([a-zA-Z0-9_.]*[a-zA-Z0-9_])/g,
    (_match, path: string) => contextValue(path, context) ?? "",
  );
}

function contextValue(path: string, context: ContextVariables): string | undefined {
  let value: unknown = context;
  for (const part of path.split("."))
    value = isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  return value === undefined || value === null || typeof value === "object" ? undefined : String(value);
}

export type AuthorizerVerdict =
  | { principalId: string; context: Record<string, string>; usageKey: string | undefined }
  | { refused: GatewayResponseType; context?: Record<string, string> };

/** Fails for unknown members, such as Condition: ignoring one could let a caller in. */
const AuthorizerStatement = PolicyStatement.omit({ Principal: true, Condition: true }).transform(
  (statement) => ({ ...statement, Condition: {} }),
);

const AuthorizerAnswer = z.object({
  principalId: z.string(),
  policyDocument: z.object({
    Statement: z.union([AuthorizerStatement.transform((one) => [one]), z.array(AuthorizerStatement)]),
  }),
  // Values become strings; objects and lists make the gateway fail.
  context: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).nullish(),
  usageIdentifierKey: z.string().optional().catch(undefined),
});

/**
 * Like API Gateway: the error `Unauthorized` is 401, other errors and invalid policies are 500, an
 * explicit deny wins, and the default is deny.
 */
export function judgeAuthorizerResult(result: InvokeResult, methodArn: string): AuthorizerVerdict {
  if (result.functionError !== undefined) {
    const isUnauthorized = Object(result.payload).errorMessage === "Unauthorized";
    return { refused: isUnauthorized ? "UNAUTHORIZED" : "AUTHORIZER_FAILURE" };
  }
  const { success, data } = AuthorizerAnswer.safeParse(result.payload);
  if (!success) return { refused: "AUTHORIZER_CONFIGURATION_ERROR" };
  const { principalId, policyDocument, usageIdentifierKey } = data;
  const given = Object.entries(data.context ?? {}).filter(([, value]) => value !== null);
  const context = Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
  const request = { action: "execute-api:Invoke", resource: methodArn, context: {} };
  if (!decide(policyDocument.Statement, request).allowed) return { refused: "ACCESS_DENIED", context };
  return { principalId, context, usageKey: usageIdentifierKey };
}
