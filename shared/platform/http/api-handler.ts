import middy, { type MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import type { Route } from "../../contract/route.ts";
import { correlated } from "../correlation.ts";
import { log } from "../log.ts";
import { withinInvocation } from "../table/retry.ts";
import { errorAnswer } from "./answer.ts";
import { ApiError } from "./api-error.ts";
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

/**
 * The Lambda handler of a resource: finds the operation by what API Gateway matched, and serves it. Every error becomes its catalogue entry. Lines of the
 * log carry the request's id, and so does what the request causes.
 */
export function apiHandler(...parts: readonly Endpoints[]) {
  const loaded = new Map<string, Serve>();
  const serveAny = middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(errorBoundary())
    .handler(async (event) => {
      const key = routeOf(event);
      const part = parts.find(({ operations }) => Object.hasOwn(operations, key));
      if (!part) throw new ApiError("NOT_FOUND");
      const serve = loaded.get(key) ?? (await part.load(key));
      loaded.set(key, serve);
      return serve(event);
    });
  return (event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult> =>
    correlated({ requestId: event.requestContext.requestId, route: routeOf(event) }, () =>
      withinInvocation(context, () => serveAny(event, context)),
    );
}

/** The route's template, never the path: a token may stand in that. */
function routeOf({ httpMethod, resource }: APIGatewayProxyEvent): string {
  return `${httpMethod} ${resource}`;
}

/** Tells the log of each answer: the gateway's own knows the status, and no code. */
function errorBoundary(): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  return {
    after: ({ response }) => log.info("The request is answered.", { status: response?.statusCode }),
    onError: (request) => {
      const error = publicError(request.error);
      log.info("The request is answered.", { status: error.status, code: error.code });
      request.response = errorAnswer(error, request.event.requestContext.requestId);
    },
  };
}
