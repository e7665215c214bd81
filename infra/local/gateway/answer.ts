import { isObject } from "../intrinsics.ts";
import { type ContextVariables, parameterValue, substitute } from "./context-template.ts";
import type { MockIntegration, RestApi } from "./rest-api.ts";

export interface Answer {
  status: number;
  headers: [name: string, value: string][];
  body: string;
}

/** The gateway's own answers: their status and error type where the template does not say otherwise. */
const DEFAULTS = {
  ACCESS_DENIED: {
    status: 403,
    error: "AccessDeniedException",
    message: "User is not authorized to access this resource",
  },
  API_CONFIGURATION_ERROR: {
    status: 500,
    error: "InternalServerErrorException",
    message: "Internal server error",
  },
  AUTHORIZER_CONFIGURATION_ERROR: {
    status: 500,
    error: "AuthorizerConfigurationException",
    message: "Internal server error",
  },
  AUTHORIZER_FAILURE: {
    status: 500,
    error: "InternalServerErrorException",
    message: "Internal server error",
  },
  BAD_REQUEST: { status: 400, error: "BadRequestException", message: "Bad Request" },
  HEADERS_TOO_LARGE: {
    status: 431,
    error: "RequestHeaderSectionTooLargeException",
    message: "Request header section too large",
  },
  INTEGRATION_TIMEOUT: {
    status: 504,
    error: "InternalServerErrorException",
    message: "Endpoint request timed out",
  },
  INVALID_API_KEY: { status: 403, error: "ForbiddenException", message: "Forbidden" },
  LAMBDA_FAILURE: { status: 502, error: "InternalServerErrorException", message: "Internal server error" },
  MISSING_AUTHENTICATION_TOKEN: {
    status: 403,
    error: "MissingAuthenticationTokenException",
    message: "Missing Authentication Token",
  },
  REQUEST_TOO_LARGE: {
    status: 413,
    error: "RequestTooLargeException",
    message: "HTTP content length exceeded 10485760 bytes.",
  },
  THROTTLED: { status: 429, error: "TooManyRequestsException", message: "Too Many Requests" },
  UNAUTHORIZED: { status: 401, error: "UnauthorizedException", message: "Unauthorized" },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    error: "UnsupportedMediaTypeException",
    message: "Unsupported Media Type",
  },
} as const;

export type GatewayResponseType = keyof typeof DEFAULTS;

/** Renders one of the gateway's own answers by the API's gateway responses, or the default of its class. */
export function gatewayAnswer(api: RestApi, type: GatewayResponseType, context: ContextVariables): Answer {
  const { status, error, message } = DEFAULTS[type];
  const own = api.gatewayResponses.get(type);
  const response = own ?? api.gatewayResponses.get(status < 500 ? "DEFAULT_4XX" : "DEFAULT_5XX");
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

/** What the gateway says where no API is concerned, such as an unknown host. */
export function forbidden(): Answer {
  const headers: Answer["headers"] = [
    ["Content-Type", "application/json"],
    ["x-amzn-ErrorType", "ForbiddenException"],
  ];
  return { status: 403, headers, body: '{"message":"Forbidden"}' };
}

/** Answers without a backend: the request template names the status that picks the response. */
export function mockAnswer(
  mock: MockIntegration,
  contentType: string,
  context: ContextVariables,
): Answer | GatewayResponseType {
  const template = mock.requestTemplates[contentType];
  if (template === undefined && !mock.passesUnknownTypes) return "UNSUPPORTED_MEDIA_TYPE";
  const status = mockStatus(substitute(template ?? "{}", context));
  const matching = mock.responses.find(
    ({ pattern }) => pattern !== undefined && new RegExp(`^(?:${pattern})$`).test(status),
  );
  const response = matching ?? mock.responses.find(({ pattern }) => pattern === undefined);
  if (response === undefined) return "API_CONFIGURATION_ERROR";
  return {
    status: response.status,
    headers: [["Content-Type", "application/json"], ...parameterHeaders(response.headers, context)],
    body: substitute(response.template, context),
  };
}

function mockStatus(rendered: string): string {
  const document: unknown = JSON.parse(rendered);
  return isObject(document) ? String(document.statusCode) : "";
}

/** A function's answer as HTTP, or undefined where it is not in the shape of a proxy response. */
export function proxyAnswer(payload: unknown): Answer | undefined {
  if (!isObject(payload)) return undefined;
  const { statusCode, headers = {}, multiValueHeaders = {}, body = "" } = payload;
  const status = typeof statusCode === "string" ? Number(statusCode) : statusCode;
  if (typeof status !== "number" || !Number.isInteger(status) || status < 200 || status > 599)
    return undefined;
  if (typeof body !== "string" && body !== null) return undefined;
  const single = readHeaders(headers);
  const multiple = readHeaders(multiValueHeaders);
  if (single === undefined || multiple === undefined) return undefined;
  const names = new Set(multiple.map(([name]) => name.toLowerCase()));
  const all = [...single.filter(([name]) => !names.has(name.toLowerCase())), ...multiple];
  const hasType = all.some(([name]) => name.toLowerCase() === "content-type");
  return {
    status,
    headers: hasType ? all : [["Content-Type", "application/json"], ...all],
    body: body ?? "",
  };
}

/** Names that the gateway keeps for itself reach the client under another one. */
const REMAPPED = ["connection", "content-length", "date", "server", "transfer-encoding", "www-authenticate"];

function readHeaders(headers: unknown): [string, string][] | undefined {
  if (headers === null) return [];
  if (!isObject(headers)) return undefined;
  const all = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((item): [string, unknown] => [name, item]),
  );
  if (all.some(([name, value]) => typeof value === "object" || !/^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name)))
    return undefined;
  // Control characters would end the header; Node refuses them and the gateway calls such an answer malformed.
  if (all.some(([, value]) => /[^\t\x20-\x7e\x80-\xff]/.test(String(value)))) return undefined;
  return all.map(([name, value]) => [
    REMAPPED.includes(name.toLowerCase()) ? `x-amzn-Remapped-${name}` : name,
    String(value),
  ]);
}

function parameterHeaders(parameters: Record<string, string>, context: ContextVariables): [string, string][] {
  return Object.entries(parameters).flatMap(([name, expression]): [string, string][] => {
    const value = parameterValue(expression, context);
    return value === undefined ? [] : [[name, value]];
  });
}
