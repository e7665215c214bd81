import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import { type ErrorCode, errorCatalogue } from "../../shared/contract/errors.ts";
import { type RequestKind, usageKey } from "../../shared/contract/rate-limits.ts";
import { environment } from "../../shared/platform/environment.ts";
import { correlated, log } from "../../shared/platform/log.ts";
import { authenticate, type CallerContext, type PresentedCredentials, Rejection } from "./authenticate.ts";

/**
 * Never cached: a revoked key or certificate must fail on its next request. Certificate and address
 * fail with a policy whose context becomes the 403; the key with the text that API Gateway answers
 * 401 for; suspended access with a 403 again. Any other error becomes a 503.
 * @throws Error "Unauthorized", "Unavailable"
 */
export function authorize(event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> {
  return correlated({ requestId: event.requestContext.requestId }, () => decide(event));
}

async function decide(event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> {
  try {
    const caller = await authenticate(readPresentedCredentials(event));
    return allow(event.methodArn, caller, getUsageKey(event, caller));
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    log.info("The caller was rejected.", { cause: error.cause, ...error.who });
    if (error.code === "API_KEY_INVALID") throw new Error("Unauthorized");
    if (error.code === "UNAVAILABLE") throw new Error("Unavailable");
    return deny(event.methodArn, error.code);
  }
}

/** Header names arrive as the caller wrote them, possibly several times. */
export function readPresentedCredentials(event: APIGatewayRequestAuthorizerEvent): PresentedCredentials {
  const { identity } = event.requestContext;
  return {
    certificatePem: identity.clientCert?.clientCertPem,
    ip: identity.sourceIp,
    apiKeys: findApiKeys(event.multiValueHeaders) ?? findApiKeys(event.headers) ?? [],
  };
}

type Headers = Partial<Record<string, string | string[]>>;

function findApiKeys(headers: Headers | null): string[] | undefined {
  const named = Object.entries(headers ?? {}).filter(([name]) => name.toLowerCase() === "x-api-key");
  const values = named.flatMap(([, value]) => value ?? []);
  return values.length > 0 ? values : undefined;
}

/**
 * Allows every method of this API's stage: the context decides what the caller may do, the usage
 * key how much.
 */
function allow(
  methodArn: string,
  context: CallerContext,
  usageIdentifierKey: string,
): APIGatewayAuthorizerResult {
  return { ...toPolicy(context.apiUserId, "Allow", methodArn), context, usageIdentifierKey };
}

/** The gateway response puts the code and its public message into the envelope. */
function deny(methodArn: string, code: ErrorCode): APIGatewayAuthorizerResult {
  const { message } = errorCatalogue[code];
  return { ...toPolicy("refused", "Deny", methodArn), context: { code, message } };
}

function toPolicy(principalId: string, Effect: "Allow" | "Deny", methodArn: string) {
  return {
    principalId,
    policyDocument: {
      Version: "2012-10-17",
      Statement: [{ Action: "execute-api:Invoke", Effect, Resource: stageArn(methodArn) }],
    },
  };
}

/**
 * `arn:…:api/stage/METHOD/path` up to the stage: the path is the caller's text and stays out of a
 * policy.
 */
function stageArn(methodArn: string): string {
  const [api, stage] = methodArn.split("/");
  return `${api}/${stage}/*`;
}

type Route = Pick<APIGatewayRequestAuthorizerEvent, "httpMethod" | "resource">;

/**
 * The gateway counts a request by Program and kind, whatever its key and function; by Tenant for
 * Tenant-level keys. Derived from known data, so that limits cost no read.
 */
export function getUsageKey(request: Route, caller: CallerContext): string {
  return caller.level === "tenant"
    ? usageKey(caller.tenantId, "account")
    : usageKey(caller.programId, getRequestKind(request));
}

function getRequestKind({ httpMethod, resource }: Route): RequestKind {
  if (httpMethod === "GET" || httpMethod === "HEAD") return "reads";
  return environment.fundsMoves.includes(`${httpMethod} ${resource}`) ? "fundsMoves" : "writes";
}
