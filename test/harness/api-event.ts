import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Route } from "../../shared/contract/route.ts";

/** Who calls: what the authorizer hands over, as API Gateway carries it (strings only). */
export interface Caller {
  readonly level?: "program" | "tenant";
  readonly tenantId?: string;
  readonly programId?: string;
  readonly currency?: 0 | 1 | 2 | 3;
  readonly apiUserId?: string;
  /** Of a restricted key; its operations are joined by spaces. */
  readonly role?: string;
  readonly operations?: string;
}

export interface EventOptions {
  /** `METHOD /path/{template}` of the route, as the handler maps are keyed. */
  readonly route: `${Route["method"]} /${string}`;
  readonly path?: Record<string, string>;
  /** A parameter with several values is given as an array. */
  readonly query?: Record<string, string | readonly string[]>;
  readonly headers?: Record<string, string>;
  /** An object is sent as JSON, a string unchanged, bytes in base64. */
  readonly body?: unknown;
  readonly caller?: Caller;
}

export const demoCaller = {
  level: "program",
  tenantId: "tnt_01J9ZC3P2V8Q4N6T0B5W7XKD1A",
  programId: "prg_01J9ZC3P2V8Q4N6T0B5W7XKD1B",
  currency: 0,
  apiUserId: "apu_01J9ZC3P2V8Q4N6T0B5W7XKD1C",
} as const satisfies Caller;

/** The event of a REST API with proxy integration, payload 1.0. */
export function apiEvent(options: EventOptions): APIGatewayProxyEvent {
  const [method = "", resource = ""] = options.route.split(" ");
  const path = resource.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(options.path?.[name] ?? ""),
  );
  const headers: Record<string, string> = {
    Accept: "*/*",
    Host: "api.issuing.example",
    "X-API-Key": "redacted",
    ...(options.body !== undefined && { "Content-Type": contentType(resource) }),
    ...options.headers,
  };
  const query = Object.entries(options.query ?? {}).map(([name, value]) => [name, [value].flat()] as const);
  return {
    resource,
    path: `/v2${path}`,
    httpMethod: method,
    headers,
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    queryStringParameters:
      query.length === 0 ? null : Object.fromEntries(query.map(([name, all]) => [name, all.at(-1) ?? ""])),
    multiValueQueryStringParameters:
      query.length === 0 ? null : Object.fromEntries(query.map(([name, all]) => [name, [...all]])),
    pathParameters: options.path ?? null,
    stageVariables: null,
    requestContext: requestContext(method, resource, path, options.caller),
    body: bodyText(options.body),
    isBase64Encoded: options.body instanceof Uint8Array,
  };
}

/** What the endpoint takes. */
export function contentType(resource: string): string {
  return resource.endsWith("/bulk") ? "application/x-ndjson" : "application/json";
}

function bodyText(body: unknown): string | null {
  if (body === undefined) return null;
  if (body instanceof Uint8Array) return Buffer.from(body).toString("base64");
  return typeof body === "string" ? body : JSON.stringify(body);
}

function requestContext(
  method: string,
  resource: string,
  path: string,
  caller: Caller | undefined,
): APIGatewayProxyEvent["requestContext"] {
  return {
    accountId: "000000000000",
    apiId: "platform",
    authorizer: { principalId: "caller", integrationLatency: 1, ...authorizerContext(caller) },
    domainName: "api.issuing.example",
    domainPrefix: "api",
    extendedRequestId: "AbCdEfGhIjKlMnO=",
    httpMethod: method,
    identity: identity(),
    path: `/v2${path}`,
    protocol: "HTTP/1.1",
    requestId: "00000000-0000-4000-8000-000000000000",
    requestTime: "20/Nov/2026:08:00:00 +0000",
    requestTimeEpoch: 1_795_161_600_000,
    resourceId: "abc123",
    resourcePath: resource,
    stage: "v2",
  };
}

function authorizerContext(caller: Caller | undefined): Record<string, string> {
  const { level, tenantId, programId, currency, apiUserId } = { ...demoCaller, ...caller };
  const { role, operations } = caller ?? {};
  const rights = { ...(role !== undefined && { role }), ...(operations !== undefined && { operations }) };
  if (level === "tenant") return { level, tenantId, apiUserId, ...rights };
  return { level, tenantId, programId, currency: String(currency), apiUserId, ...rights };
}

function identity(): APIGatewayProxyEvent["requestContext"]["identity"] {
  return {
    accessKey: null,
    accountId: null,
    apiKey: null,
    apiKeyId: null,
    caller: null,
    clientCert: {
      clientCertPem: "redacted",
      issuerDN: "CN=Development CA",
      serialNumber: "01",
      subjectDN: "CN=client",
      validity: { notAfter: "Nov 20 08:00:00 2027 GMT", notBefore: "Nov 20 08:00:00 2026 GMT" },
    },
    cognitoAuthenticationProvider: null,
    cognitoAuthenticationType: null,
    cognitoIdentityId: null,
    cognitoIdentityPoolId: null,
    principalOrgId: null,
    sourceIp: "127.0.0.1",
    user: null,
    userAgent: "test",
    userArn: null,
  };
}
