import type { APIGatewayRequestAuthorizerEvent } from "aws-lambda";
import { type RequestKind, usageKey } from "../../shared/contract/rate-limits.ts";
import { environment } from "../../shared/platform/environment.ts";
import type { CallerContext } from "./policy.ts";

/**
 * What the gateway counts a request by: the Program and the kind of its request, whatever key and function it goes to; the Tenant where the key
 * is Tenant-level. It follows from what is known anyway, so that limits cost no look-up.
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
