import middy, { type MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import { ApiError } from "../api-error.ts";
import { AuthorizerContext } from "../contract/authorizer-context.ts";
import type { Route } from "../contract/route.ts";
import { log } from "../log.ts";
import { answer, errorAnswer } from "./answer.ts";
import { publicError } from "./public-error.ts";
import type { Operation, OperationImports } from "./request.ts";
import { validateRequest } from "./validate-request.ts";

/** Routes, and the operation of each by its `METHOD /path`. Both are imported when one of them is first asked for. */
interface Endpoints {
  readonly operations: Readonly<Record<string, () => Promise<unknown>>>;
  readonly load: (key: string) => Promise<Endpoint>;
}

interface Endpoint {
  readonly route: Route;
  readonly operation: Operation<Route>;
}

/**
 * What a handler serves of one file of the contract. Schemas and operations are most of a function's code, and a request needs those of its own
 * route: imported with the first request for it, they are no part of the cold start of any other.
 */
export function endpoints<R extends Route>(
  routes: () => Promise<readonly R[]>,
  operations: OperationImports<R>,
): Endpoints {
  const imports: Readonly<Record<string, () => Promise<unknown>>> = operations;
  return {
    operations: imports,
    load: async (key) => {
      const [declared, operation] = await Promise.all([routes(), imports[key]?.()]);
      const route = declared.find(({ method, path }) => `${method} ${path}` === key);
      if (!route) throw new Error(`The contract has no ${key}.`);
      return { route, operation: operation as Operation<Route> };
    },
  };
}

/**
 * The Lambda handler of a resource: finds the operation by what API Gateway matched, lets the caller in by the level of its key, validates,
 * runs the operation, and answers in the envelope. Every error becomes its catalogue entry.
 */
export function apiHandler(...parts: readonly Endpoints[]) {
  const loaded = new Map<string, Endpoint>();
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(correlation())
    .use(errorBoundary())
    .handler(async (event) => {
      const key = `${event.httpMethod} ${event.resource}`;
      const part = parts.find(({ operations }) => Object.hasOwn(operations, key));
      if (!part) throw new ApiError("NOT_FOUND");
      const endpoint = loaded.get(key) ?? (await part.load(key));
      loaded.set(key, endpoint);
      return serve(endpoint, event);
    });
}

async function serve(
  { route, operation }: Endpoint,
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
