import middy, { type MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import { ApiError } from "../api-error.ts";
import type { Route } from "../contract/route.ts";
import { log } from "../log.ts";
import { errorAnswer } from "./answer.ts";
import { publicError } from "./public-error.ts";
import type { Operation, OperationImports } from "./request.ts";

/** Routes, and the operation of each by its `METHOD /path`. Both are imported when one of them is first asked for. */
interface Endpoints {
  readonly operations: Readonly<Record<string, () => Promise<unknown>>>;
  readonly load: (key: string) => Promise<Serve>;
}

/** Serves the requests for one route. */
type Serve = (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>;

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
      const [{ serveRequest }, declared, operation] = await Promise.all([
        import("./serve-request.ts"),
        routes(),
        imports[key]?.(),
      ]);
      const route = declared.find(({ method, path }) => `${method} ${path}` === key);
      if (!route) throw new Error(`The contract has no ${key}.`);
      return (event) => serveRequest(route, operation as Operation<Route>, event);
    },
  };
}

/** The Lambda handler of a resource: finds the operation by what API Gateway matched, and serves it. Every error becomes its catalogue entry. */
export function apiHandler(...parts: readonly Endpoints[]) {
  const loaded = new Map<string, Serve>();
  return middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(correlation())
    .use(errorBoundary())
    .handler(async (event) => {
      const key = `${event.httpMethod} ${event.resource}`;
      const part = parts.find(({ operations }) => Object.hasOwn(operations, key));
      if (!part) throw new ApiError("NOT_FOUND");
      const serve = loaded.get(key) ?? (await part.load(key));
      loaded.set(key, serve);
      return serve(event);
    });
}

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
