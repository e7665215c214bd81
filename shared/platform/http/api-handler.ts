import middy, { type MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import type { Route } from "../../contract/route.ts";
import { correlated, log } from "../log.ts";
// Loads while Lambda initializes, with its full CPU: every request needs it.
import "../table/client.ts";
import { withinInvocation } from "../time-budget.ts";
import { ApiError } from "./api-error.ts";
import type { Operation, OperationImports } from "./request.ts";
import { publicError, toErrorResponse } from "./response.ts";
import type { Shown } from "./shown-fields.ts";

/** Routes and their operations by `METHOD /path`, imported with their first request. */
interface RouteGroup {
  readonly operations: Readonly<Record<string, () => Promise<unknown>>>;
  readonly load: (key: string) => Promise<Serve>;
}

type Serve = (event: APIGatewayProxyEvent) => Promise<APIGatewayProxyResult>;

/** The endpoints of one contract file. A cold start imports only those of its own route. */
export function routeGroup<R extends Route>(
  routes: () => Promise<readonly R[]>,
  operations: OperationImports<R>,
): RouteGroup {
  const imports: Readonly<Record<string, () => Promise<unknown>>> = operations;
  return {
    operations: imports,
    load: async (key) => {
      const [{ serveRequest }, { findShowing }, declared, operation] = await Promise.all([
        import("./serve-request.ts"),
        import("./shown-fields.ts"),
        routes(),
        imports[key]?.(),
      ]);
      const route = declared.find(({ method, path }) => `${method} ${path}` === key);
      if (!route) throw new Error(`The contract has no ${key}.`);
      const showing = findShowing(route, declared);
      const show = showing && imports[`GET ${showing.path}`];
      const shown = show && { route: showing, operation: show as Shown["operation"] };
      return (event) => serveRequest(route, operation as Operation<Route>, event, shown);
    },
  };
}

/** Every error becomes an answer. Log lines and caused events have the request's id. */
export function apiHandler(...parts: readonly RouteGroup[]) {
  const loaded = new Map<string, Serve>();
  const serveAny = middy<APIGatewayProxyEvent, APIGatewayProxyResult>()
    .use(errorBoundary())
    .handler(async (event) => {
      const key = toRouteKey(event);
      const part = parts.find(({ operations }) => Object.hasOwn(operations, key));
      if (!part) throw new ApiError("NOT_FOUND");
      const serve = loaded.get(key) ?? (await part.load(key));
      loaded.set(key, serve);
      return serve(event);
    });
  return (event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult> =>
    correlated({ requestId: event.requestContext.requestId, route: toRouteKey(event) }, () =>
      withinInvocation(context, () => serveAny(event, context)),
    );
}

/** The route's template, never the path: a path can contain a token. */
function toRouteKey({ httpMethod, resource }: APIGatewayProxyEvent): string {
  return `${httpMethod} ${resource}`;
}

/** Logs each answer with its error code, which the gateway's log does not have. */
function errorBoundary(): MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult> {
  return {
    after: ({ response }) => log.info("The request is answered.", { status: response?.statusCode }),
    onError: (request) => {
      const error = publicError(request.error);
      log.info("The request is answered.", { status: error.status, code: error.code });
      request.response = toErrorResponse(error, request.event.requestContext.requestId);
    },
  };
}
