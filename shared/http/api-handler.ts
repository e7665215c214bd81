import middy, { type MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import { ApiError } from "../api-error.ts";
import { AuthorizerContext } from "../contract/authorizer-context.ts";
import type { Route } from "../contract/route.ts";
import { log } from "../log.ts";
import { answer, errorAnswer } from "./answer.ts";
import { publicError } from "./public-error.ts";
import type { Operation, Operations } from "./request.ts";
import { validateRequest } from "./validate-request.ts";

/**
 * The Lambda handler of a resource: finds the operation by what API Gateway matched, lets the caller in by the level of its key, validates,
 * runs the operation, and answers in the envelope. Every error becomes its catalogue entry.
 */
export function apiHandler<R extends Route>(routes: readonly R[], operations: Operations<R>) {
  const routeOf = new Map(routes.map((route) => [`${route.method} ${route.path}`, route]));
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(correlation())
    .use(errorBoundary())
    .handler(async (event) => {
      const key = `${event.httpMethod} ${event.resource}`;
      const route = routeOf.get(key);
      if (!route) throw new ApiError("NOT_FOUND");
      const operation = (operations as Record<string, Operation<R>>)[key] as unknown as Operation<Route>;
      return serve(route, operation, event);
    });
}

async function serve(
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

/** A Tenant-level key sees no Program: its lists are empty. To a Program-level key the Tenant's own endpoints do not exist. */
const nothing = { items: [], total: 0 };

/** Every log line of an invocation carries the request's id. */
function correlation(): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  return {
    before: ({ event }) => {
      log.resetKeys();
      log.appendKeys({
        requestId: event.requestContext.requestId,
        route: `${event.httpMethod} ${event.resource}`,
      });
    },
  };
}

function errorBoundary(): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  return {
    onError: (request) => {
      request.response = errorAnswer(publicError(request.error), request.event.requestContext.requestId);
    },
  };
}
