import type { APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import { type RequestKind, usageKey } from "../../shared/contract/rate-limits.ts";
import { environment } from "../../shared/platform/environment.ts";
import type { CallerContext } from "./policy.ts";

/**
 * The gateway counts a request by Program and kind, whatever its key and function; by Tenant for Tenant-level
 * keys. Derived from known data, so that limits cost no read.
 */
export function usageKeyOf(
  request: Pick<APIGatewayRequestAuthorizerEvent, "httpMethod" | "resource">,
  caller: CallerContext,
): string {
  return caller.level === "tenant"
    ? usageKey(caller.tenantId, "account")
    : usageKey(caller.programId, kindOf(request));
}

function kindOf({
  httpMethod,
  resource,
}: Pick<APIGatewayRequestAuthorizerEvent, "httpMethod" | "resource">): RequestKind {
  if (httpMethod === "GET" || httpMethod === "HEAD") return "reads";
  return environment.fundsMoves.includes(`${httpMethod} ${resource}`) ? "fundsMoves" : "writes";
}
