import type { IFunction } from "aws-cdk-lib/aws-lambda";
import { errorCatalogue } from "../../../shared/contract/errors.ts";
import { type Api, pathParameterNames, type ResourceFunction } from "../../../shared/contract/route.ts";
import { routes } from "../../../shared/contract/routes.ts";
import { gatewayResponses, unknownOperation } from "./gateway-responses.ts";

export interface ApiDocumentProps {
  /** The API's name: API Gateway prefers it to the resource's own. */
  readonly title: string;
  /** What each route calls, by `METHOD /path`. */
  readonly functions: ReadonlyMap<string, IFunction>;
  /**
   * Asked for every request: a cache would keep revoked keys alive. With an identity source, the
   * gateway would answer 401 for a missing key before certificate and address are checked.
   */
  readonly authorizer?: IFunction;
}

/**
 * What API Gateway imports: OpenAPI 3.0 with its extensions. Bodies and parameters have no schemas:
 * the functions check every request against the contract and list all of its faults.
 */
export function apiDocument({ title, functions, authorizer }: ApiDocumentProps) {
  const security = authorizer && { security: [{ authorizer: [] }, { api_key: [] }] };
  const paths: Record<string, Record<string, object>> = {};
  const add = (path: string, method: string, operation: object) => {
    const parameters = toPathParameters(path);
    paths[path] = { ...paths[path], [method]: { ...parameters, ...operation, ...security } };
  };
  for (const [route, handler] of functions) {
    const [method = "", path = ""] = route.split(" ");
    add(path, method.toLowerCase(), proxy(handler));
  }
  if (authorizer) for (const path of ["/", "/{proxy+}"]) add(path, anyMethod, notFound);
  return {
    openapi: "3.0.1",
    info: { title, version: "1" },
    servers: [
      { url: "/", "x-amazon-apigateway-endpoint-configuration": { disableExecuteApiEndpoint: true } },
    ],
    paths,
    ...(authorizer && authorized(authorizer)),
    "x-amazon-apigateway-gateway-responses": gatewayResponses,
  };
}

/** The contract's routes of an API. */
export function functionsByRoute(
  api: Api,
  functions: Readonly<Partial<Record<ResourceFunction, IFunction>>>,
): ReadonlyMap<string, IFunction> {
  const own = routes.filter((route) => route.api === api);
  return new Map(
    own.map(({ method, path, function: name }) => {
      const handler = functions[name];
      if (handler === undefined) throw new Error(`${method} ${path} has no function.`);
      return [`${method} ${path}`, handler];
    }),
  );
}

/** At each operation: an import reads none beside them. */
function toPathParameters(path: string) {
  const names = pathParameterNames(path).map((name) => name.replace("+", ""));
  const fixed = { in: "path", required: true, schema: { type: "string" } };
  return names.length > 0 && { parameters: names.map((name) => ({ name, ...fixed })) };
}

const anyMethod = "x-amazon-apigateway-any-method";

function authorized(authorizer: IFunction) {
  return {
    components: {
      securitySchemes: {
        authorizer: {
          type: "apiKey",
          in: "header",
          name: "Unused",
          "x-amazon-apigateway-authtype": "custom",
          "x-amazon-apigateway-authorizer": {
            type: "request",
            authorizerUri: invocation(authorizer),
            authorizerResultTtlInSeconds: 0,
          },
        },
        api_key: { type: "apiKey", in: "header", name: "x-api-key" },
      },
    },
    // Usage plans count by the authorizer's key: a client could choose any value in a header.
    "x-amazon-apigateway-api-key-source": "AUTHORIZER",
    // In a text, API Gateway replaces what is not UTF-8.
    "x-amazon-apigateway-binary-media-types": ["*/*"],
  };
}

function proxy(handler: IFunction) {
  return {
    responses: { 200: { description: "What the function answers" } },
    "x-amazon-apigateway-integration": {
      type: "aws_proxy",
      httpMethod: "POST",
      uri: invocation(handler),
    },
  };
}

function invocation({ functionArn, stack }: IFunction): string {
  return `arn:aws:apigateway:${stack.region}:lambda:path/2015-03-31/functions/${functionArn}/invocations`;
}

const { status } = errorCatalogue.NOT_FOUND;

/**
 * Answers 404 for unknown paths and methods after authentication. A body that is not JSON becomes
 * UNSUPPORTED_MEDIA_TYPE here, which gateway-responses.ts answers with 404 too.
 */
const notFound = {
  responses: {
    [status]: { description: "Not found", headers: { "X-Request-Id": { schema: { type: "string" } } } },
  },
  "x-amazon-apigateway-integration": {
    type: "mock",
    passthroughBehavior: "never",
    contentHandling: "CONVERT_TO_TEXT",
    requestTemplates: { "application/json": JSON.stringify({ statusCode: status }) },
    responses: {
      default: {
        statusCode: String(status),
        responseParameters: { "method.response.header.X-Request-Id": "context.requestId" },
        responseTemplates: { "application/json": unknownOperation },
      },
    },
  },
};
