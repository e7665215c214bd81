import type { Admission, UsagePlans } from "../endpoint/usage-plans.ts";
import { type Clock, type FunctionInvoker, InvocationRejected, type InvokeResult } from "../interfaces.ts";
import { type Assembly, TemplateError } from "../template.ts";
import {
  type Answer,
  type AuthorizerVerdict,
  forbidden,
  type GatewayResponseType,
  gatewayAnswer,
  judgeAuthorizerResult,
  mockAnswer,
  proxyAnswer,
} from "./answer.ts";
import type { ReceivedRequest } from "./request.ts";
import type { ProxyIntegration } from "./rest-api.ts";
import { type Domain, type Method, type PathNode, type RestApi, readDomains } from "./rest-api.ts";

export interface GatewayParts {
  domains: Domain[];
  account: string;
  region: string;
  invoker: FunctionInvoker;
  clock: Pick<Clock, "now">;
  usage: Pick<UsagePlans, "admit">;
}

/** Throws for a template without a custom domain. */
export function prepareGateway({
  assembly,
  invoker,
  clock,
  usage,
}: Pick<GatewayParts, "invoker" | "clock" | "usage"> & { assembly: Assembly }): GatewayParts {
  const domains = readDomains(assembly);
  if (domains.length === 0) throw new TemplateError("the template has no custom domain");
  const { account, region } = assembly;
  return { domains, account, region, invoker, clock, usage };
}

const authorizerTimeoutMs = 29_000;
/** The authorizer admitted the caller, so an unknown key is not the caller's fault. */
const admissionErrors = { throttled: "THROTTLED", unknown: "INVALID_API_KEY" } as const satisfies Record<
  Exclude<Admission, "admitted">,
  GatewayResponseType
>;
const timedOut = Symbol("timed out");

export function routeRequest(parts: GatewayParts, request: ReceivedRequest): RoutedRequest | undefined {
  const domain = findDomain(parts, request);
  // Mappings are sorted, longest base path first.
  const mapping = domain?.mappings.find(({ basePath }) => isBelow(request.path, toPrefix(basePath)));
  if (domain === undefined || mapping === undefined) return undefined;
  const { api, basePath } = mapping;
  const resourcePath = request.path.slice(toPrefix(basePath).length) || "/";
  const { account: accountId, region } = parts;
  const route = isDecodable(request.path) ? matchRoute(api, request.httpMethod, resourcePath) : undefined;
  return { request, api, domainName: domain.name, accountId, region, resourcePath, route };
}

/** Requests without a certificate come over the port of the host that needs none. */
function findDomain({ domains }: GatewayParts, request: ReceivedRequest): Domain | undefined {
  if (!request.clientCertificate) return domains.find(({ needsCertificate }) => !needsCertificate);
  // Node sends no host name for an IP address; treat it as `localhost`.
  const isAddress = /^[\d.]+$|^\[.*\]$|^$/.test(request.host);
  const host = isAddress ? "localhost" : request.host;
  return domains.find(({ name, needsCertificate }) => needsCertificate && name === host);
}

const toPrefix = (basePath: string) => (basePath === "" ? "" : `/${basePath}`);
const isBelow = (path: string, prefix: string) => path === prefix || path.startsWith(`${prefix}/`);

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/**
 * Literal parts first, then parameters, then the greedy rest. Skips resources without the method,
 * so that `{proxy+}` with `ANY` answers everything else.
 */
function matchRoute(api: RestApi, httpMethod: string, resourcePath: string): MatchedRoute | undefined {
  // API Gateway ignores a trailing slash.
  const trimmed = resourcePath.replace(/\/$/, "");
  const parts = trimmed === "" ? [] : trimmed.slice(1).split("/");
  for (const { node, parameters } of candidates(api.root, parts, {})) {
    const method = node.methods.get(httpMethod) ?? node.methods.get("ANY");
    if (method === undefined) continue;
    const decoded = Object.entries(parameters).map(([name, value]) => [name, decodeURIComponent(value)]);
    return { node, method, pathParameters: decoded.length === 0 ? null : Object.fromEntries(decoded) };
  }
  return undefined;
}

type Parameters = Record<string, string>;

function* candidates(
  node: PathNode,
  [part, ...rest]: string[],
  parameters: Parameters,
): Generator<{ node: PathNode; parameters: Parameters }> {
  if (part === undefined) {
    yield { node, parameters };
    return;
  }
  const literal = node.literals.get(part);
  if (literal !== undefined) yield* candidates(literal, rest, parameters);
  if (node.parameter !== undefined && part !== "") {
    yield* candidates(node.parameter.node, rest, { ...parameters, [node.parameter.name]: part });
  }
  if (node.greedy !== undefined) {
    const { name, node: greedy } = node.greedy;
    yield { node: greedy, parameters: { ...parameters, [name]: [part, ...rest].join("/") } };
  }
}

/** Answers like API Gateway: route, authorizer, integration, and gateway responses for failures. */
export async function answerRequest(
  parts: GatewayParts,
  routed: RoutedRequest | undefined,
  isTooLarge = false,
): Promise<Answer> {
  if (routed === undefined) return forbidden;
  const { api, route, request } = routed;
  const context = requestContext(routed);
  const own = (type: GatewayResponseType, more: Record<string, unknown> = {}) =>
    gatewayAnswer(api, type, { ...context, ...more });
  if (isTooLarge) return own("REQUEST_TOO_LARGE");
  if (!isDecodable(request.path)) return own("BAD_REQUEST");
  if (route === undefined) return own("MISSING_AUTHENTICATION_TOKEN");

  const { authorizerArn, integration, isMetered } = route.method;
  let authorizer: Record<string, unknown> | undefined;
  if (authorizerArn !== undefined) {
    const startedMs = performance.now();
    const verdict = await authorize(parts.invoker, authorizerArn, routed);
    if ("refused" in verdict) return own(verdict.refused, { authorizer: verdict.context });
    const integrationLatency = Math.round(performance.now() - startedMs);
    authorizer = { ...verdict.context, principalId: verdict.principalId, integrationLatency };
    const admission = isMetered ? parts.usage.admit(verdict.usageKey, api.id, api.stage) : "admitted";
    if (admission !== "admitted") return own(admissionErrors[admission], { authorizer });
  }
  const answer =
    integration.kind === "mock"
      ? mockAnswer(integration, contentType(request), { ...context, authorizer })
      : await integrate(parts.invoker, integration, proxyEvent(routed, authorizer));
  return typeof answer === "string" ? own(answer, { authorizer }) : answer;
}

async function authorize(
  invoker: FunctionInvoker,
  arn: string,
  routed: RoutedRequest,
): Promise<AuthorizerVerdict> {
  const result = await invokeWithin(authorizerTimeoutMs, invoker, arn, authorizerEvent(routed));
  if (result === timedOut) return { refused: "AUTHORIZER_FAILURE" };
  if (result instanceof InvocationRejected) return { refused: "AUTHORIZER_CONFIGURATION_ERROR" };
  return judgeAuthorizerResult(result, methodArn(routed));
}

async function integrate(
  invoker: FunctionInvoker,
  { functionArn, timeoutMs }: ProxyIntegration,
  event: unknown,
): Promise<Answer | GatewayResponseType> {
  const result = await invokeWithin(timeoutMs, invoker, functionArn, event);
  if (result === timedOut) return "INTEGRATION_TIMEOUT";
  if (result instanceof InvocationRejected)
    return result.code === "RequestTooLargeException" ? "REQUEST_TOO_LARGE" : "LAMBDA_FAILURE";
  return (result.functionError === undefined && proxyAnswer(result.payload)) || "LAMBDA_FAILURE";
}

/** API Gateway stops waiting, but the function runs on until its own timeout. */
async function invokeWithin(
  limitMs: number,
  invoker: FunctionInvoker,
  arn: string,
  event: unknown,
): Promise<InvokeResult | InvocationRejected | typeof timedOut> {
  const timeout = Promise.withResolvers<typeof timedOut>();
  const timer = setTimeout(timeout.resolve, limitMs, timedOut);
  const invocation = invoker.invoke(arn, event).catch((error) => {
    if (error instanceof InvocationRejected) return error;
    throw error;
  });
  try {
    return await Promise.race([invocation, timeout.promise]);
  } finally {
    clearTimeout(timer);
    invocation.catch(() => {});
  }
}

function contentType(request: ReceivedRequest): string {
  const header = request.headers.findLast(([name]) => name.toLowerCase() === "content-type")?.[1];
  return (header ?? "application/json").split(";")[0]?.trim().toLowerCase() ?? "";
}

interface MatchedRoute {
  node: PathNode;
  method: Method;
  pathParameters: Record<string, string> | null;
}

interface RoutedRequest {
  request: ReceivedRequest;
  api: RestApi;
  domainName: string;
  accountId: string;
  region: string;
  resourcePath: string;
  route: MatchedRoute | undefined;
}

/** Who calls neither through IAM nor through Cognito has these, without a value. */
const nobody = Object.fromEntries(
  [
    "cognitoIdentityPoolId accountId cognitoIdentityId caller principalOrgId accessKey userArn user apiKey",
    "cognitoAuthenticationType cognitoAuthenticationProvider apiKeyId",
  ].flatMap((names) => names.split(" ").map((name) => [name, null])),
);

/** Templates read it as `$context`. */
function requestContext({
  request,
  api,
  domainName,
  accountId,
  route,
}: RoutedRequest): Record<string, unknown> {
  return {
    resourceId: route?.node.resourceId,
    resourcePath: route?.node.path,
    httpMethod: request.httpMethod,
    extendedRequestId: request.extendedRequestId,
    requestTime: logTime(request.timeMs),
    // Includes the custom domain's base path, like the event's own path.
    path: request.path,
    accountId,
    protocol: request.protocol,
    stage: api.stage,
    domainPrefix: domainName.split(".")[0],
    requestTimeEpoch: request.timeMs,
    requestId: request.requestId,
    identity: {
      ...nobody,
      sourceIp: request.sourceIp,
      userAgent: request.headers.findLast(([name]) => name.toLowerCase() === "user-agent")?.[1] ?? null,
      ...(request.clientCertificate && { clientCert: request.clientCertificate }),
    },
    domainName,
    deploymentId: api.deploymentId,
    apiId: api.id,
  };
}

function methodArn({ request, api, accountId, region, resourcePath }: RoutedRequest): string {
  return `arn:aws:execute-api:${region}:${accountId}:${api.id}/${api.stage}/${request.httpMethod}${resourcePath}`;
}

/** Unlike the proxy event, empty parameter maps are not null. */
function authorizerEvent(routed: RoutedRequest): Record<string, unknown> {
  const { queryStringParameters, multiValueQueryStringParameters, pathParameters, ...event } =
    commonEvent(routed);
  return {
    type: "REQUEST",
    methodArn: methodArn(routed),
    ...event,
    queryStringParameters: queryStringParameters ?? {},
    multiValueQueryStringParameters: multiValueQueryStringParameters ?? {},
    pathParameters: pathParameters ?? {},
    stageVariables: {},
    requestContext: requestContext(routed),
  };
}

function proxyEvent(
  routed: RoutedRequest,
  authorizer: Record<string, unknown> | undefined,
): Record<string, unknown> {
  const context = requestContext(routed);
  return {
    ...commonEvent(routed),
    requestContext: authorizer === undefined ? context : { ...context, authorizer },
    ...toBody(routed),
  };
}

/** A binary media type has the bytes as they came. */
function toBody({ api, request: { body, bytes } }: RoutedRequest) {
  if (body === null || !api.isBinary) return { body, isBase64Encoded: false };
  return { body: bytes ?? Buffer.from(body).toString("base64"), isBase64Encoded: true };
}

function commonEvent({ request, route }: RoutedRequest) {
  const query = [...request.query];
  return {
    resource: route?.node.path ?? "",
    path: request.path,
    httpMethod: request.httpMethod,
    headers: Object.fromEntries(request.headers),
    multiValueHeaders: allValues(request.headers),
    queryStringParameters: query.length === 0 ? null : Object.fromEntries(query),
    multiValueQueryStringParameters: query.length === 0 ? null : allValues(query),
    pathParameters: route?.pathParameters ?? null,
    stageVariables: null,
  };
}

function allValues(pairs: [string, string][]): Record<string, string[]> {
  const values = new Map<string, string[]>();
  for (const [name, value] of pairs) values.set(name, [...(values.get(name) ?? []), value]);
  return Object.fromEntries(values);
}

/** Such as `09/Apr/2015:12:34:56 +0000`. */
function logTime(timeMs: number): string {
  const [, day, month, year, time] = new Date(timeMs).toUTCString().split(" ");
  return `${day}/${month}/${year}:${time} +0000`;
}
