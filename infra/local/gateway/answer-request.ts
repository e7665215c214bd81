import { type Clock, type FunctionInvoker, InvocationRefused, type InvokeResult } from "../interfaces.ts";
import type { Admission, UsagePlans } from "../usage/usage-plans.ts";
import { type Answer, type GatewayResponseType, gatewayAnswer, mockAnswer, proxyAnswer } from "./answer.ts";
import { type AuthorizerVerdict, judgeAuthorizerResult } from "./authorizer-verdict.ts";
import {
  authorizerEvent,
  methodArn,
  proxyEvent,
  type RoutedRequest,
  requestContext,
} from "./lambda-events.ts";
import { matchBasePath, matchRoute } from "./match-route.ts";
import type { ReceivedRequest } from "./request.ts";
import type { Domain, ProxyIntegration } from "./rest-api.ts";

export interface GatewayParts {
  domains: Domain[];
  account: string;
  region: string;
  invoker: FunctionInvoker;
  clock: Pick<Clock, "now">;
  usage: Pick<UsagePlans, "admit">;
}

/** Why a request cannot be served although its head was read. */
export type RequestFault = "REQUEST_TOO_LARGE" | undefined;

const AUTHORIZER_TIMEOUT_MS = 29_000;
/** A key without a plan here is no fault of the caller, whom the authorizer let in. */
const REFUSALS = { throttled: "THROTTLED", unknown: "INVALID_API_KEY" } as const satisfies Record<
  Exclude<Admission, "admitted">,
  GatewayResponseType
>;
const TIMED_OUT = Symbol("timed out");

/** Finds the route of a request: the domain by host, the API by base path, the method by path. */
export function routeRequest(parts: GatewayParts, request: ReceivedRequest): RoutedRequest | undefined {
  const domain = domainOf(parts.domains, request.host);
  const mapped = domain && matchBasePath(domain, request.path);
  if (domain === undefined || mapped === undefined) return undefined;
  const { api, resourcePath } = mapped;
  const { account: accountId, region } = parts;
  const route = isDecodable(request.path) ? matchRoute(api, request.httpMethod, resourcePath) : undefined;
  return { request, api, domainName: domain.name, accountId, region, resourcePath, route };
}

/** An address has no name of its own: it means `localhost`, so that loopback works by address too. */
function domainOf(domains: Domain[], host: string): Domain | undefined {
  const isAddress = /^[\d.]+$|^\[.*\]$|^$/.test(host);
  return domains.find(({ name }) => name === (isAddress ? "localhost" : host));
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** Answers a request as API Gateway does: route, authorizer, integration, and its own responses where one of them fails. */
export async function answerRequest(
  parts: GatewayParts,
  routed: RoutedRequest,
  fault: RequestFault,
): Promise<Answer> {
  const { api, route, request } = routed;
  const context = requestContext(routed);
  const own = (type: GatewayResponseType, more: Record<string, unknown> = {}) =>
    gatewayAnswer(api, type, { ...context, ...more });
  if (fault !== undefined) return own(fault);
  if (!isDecodable(request.path)) return own("BAD_REQUEST");
  if (route === undefined) return own("MISSING_AUTHENTICATION_TOKEN");

  const { authorizerArn, integration } = route.method;
  let authorizer: Record<string, unknown> | undefined;
  if (authorizerArn !== undefined) {
    const startedMs = performance.now();
    const verdict = await authorize(parts.invoker, authorizerArn, routed);
    if (verdict.kind === "unauthorized") return own("UNAUTHORIZED");
    if (verdict.kind === "failed") return own(verdict.responseType);
    if (verdict.kind === "denied") return own("ACCESS_DENIED", { authorizer: verdict.context });
    const integrationLatency = Math.round(performance.now() - startedMs);
    authorizer = { ...verdict.context, principalId: verdict.principalId, integrationLatency };
    const admission = route.method.isMetered
      ? parts.usage.admit(verdict.usageKey, api.id, api.stage)
      : "admitted";
    if (admission !== "admitted") return own(REFUSALS[admission], { authorizer });
  }
  const variables = { ...context, authorizer };
  if (integration.kind === "mock") {
    const answer = mockAnswer(integration, contentType(request), variables);
    return typeof answer === "string" ? own(answer, { authorizer }) : answer;
  }
  const answer = await integrate(parts.invoker, integration, proxyEvent(routed, authorizer));
  return typeof answer === "string" ? own(answer, { authorizer }) : answer;
}

async function authorize(
  invoker: FunctionInvoker,
  arn: string,
  routed: RoutedRequest,
): Promise<AuthorizerVerdict> {
  try {
    const result = await within(AUTHORIZER_TIMEOUT_MS, invoker.invoke(arn, authorizerEvent(routed)));
    if (result === TIMED_OUT) return { kind: "failed", responseType: "AUTHORIZER_FAILURE" };
    return judgeAuthorizerResult(result, methodArn(routed));
  } catch (error) {
    if (!(error instanceof InvocationRefused)) throw error;
    return { kind: "failed", responseType: "AUTHORIZER_CONFIGURATION_ERROR" };
  }
}

async function integrate(
  invoker: FunctionInvoker,
  { functionArn, timeoutMs }: ProxyIntegration,
  event: unknown,
) {
  try {
    const result = await within(timeoutMs, invoker.invoke(functionArn, event));
    if (result === TIMED_OUT) return "INTEGRATION_TIMEOUT";
    if (result.functionError !== undefined) return "LAMBDA_FAILURE";
    return proxyAnswer(result.payload) ?? "LAMBDA_FAILURE";
  } catch (error) {
    if (!(error instanceof InvocationRefused)) throw error;
    return error.code === "RequestTooLargeException" ? "REQUEST_TOO_LARGE" : "LAMBDA_FAILURE";
  }
}

/** The gateway stops waiting; the function runs on to its own timeout. */
async function within(
  limitMs: number,
  invocation: Promise<InvokeResult>,
): Promise<InvokeResult | typeof TIMED_OUT> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<typeof TIMED_OUT>((resolve) => {
    timer = setTimeout(() => resolve(TIMED_OUT), limitMs);
  });
  try {
    return await Promise.race([invocation, timeout]);
  } finally {
    clearTimeout(timer);
    invocation.catch(() => {});
  }
}

function contentType(request: ReceivedRequest): string {
  const header = request.headers.findLast(([name]) => name.toLowerCase() === "content-type")?.[1];
  return (header ?? "application/json").split(";")[0]?.trim().toLowerCase() ?? "";
}
