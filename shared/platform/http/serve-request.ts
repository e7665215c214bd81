import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import { AuthorizerContext } from "../../contract/authorizer-context.ts";
import type { Route } from "../../contract/route.ts";
import { answer } from "./answer.ts";
import { ApiError } from "./api-error.ts";
import type { Operation } from "./request.ts";
import { validateRequest } from "./validate-request.ts";

/**
 * Checks the key's level, validates the request, runs the operation and wraps its output.
 *
 * @throws ApiError
 */
export async function serveRequest(
  route: Route,
  operation: Operation<Route>,
  event: APIGatewayProxyEvent,
): Promise<APIGatewayProxyResult> {
  const { requestId } = event.requestContext;
  const caller = AuthorizerContext.parse(event.requestContext.authorizer);
  const isVisible = (route.level ?? "program") === caller.level;
  if (!isVisible && (caller.level === "program" || route.answer !== "list")) throw new ApiError("NOT_FOUND");
  const { path, query, body, idempotency } = validateRequest(route, event);
  const output = !isVisible
    ? nothing
    : await operation({
        scope: caller,
        requestId,
        path,
        query,
        body,
        ...(idempotency && { idempotency }),
      } as never);
  return answer(route, output, query as { limit?: number; offset?: number } | undefined, requestId);
}

/**
 * Tenant-level keys see no Program: its lists are empty. For Program-level keys the Tenant's endpoints do not
 * exist.
 */
const nothing = { items: [], total: 0 };
