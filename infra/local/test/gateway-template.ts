import type { StackFixture } from "./given-assembly.ts";

const functionUri = (name: string) =>
  `arn:aws:apigateway:eu-west-1:lambda:path/2015-03-31/functions/arn:aws:lambda:eu-west-1:111122223333:function:${name}/invocations`;
const operation = (integration: object, ...names: string[]) => ({
  parameters: names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
  responses: {},
  security: [{ authorizer: [] }],
  "x-amazon-apigateway-integration": integration,
});
const work = { type: "aws_proxy", httpMethod: "POST", uri: functionUri("work") };
const gatewayResponse = (statusCode: string | undefined, code: string) => ({
  ...(statusCode === undefined ? {} : { statusCode }),
  responseParameters: {
    "gatewayresponse.header.X-Request-Id": "context.requestId",
    "gatewayresponse.header.X-Fixed": "'fixed'",
  },
  responseTemplates: { "application/json": `{"code":"${code}","requestId":"$context.requestId"}` },
});
const mock = {
  type: "mock",
  passthroughBehavior: "never",
  requestTemplates: { "application/json": '{"statusCode": 404}' },
  responses: {
    default: {
      statusCode: "404",
      responseParameters: { "method.response.header.X-Request-Id": "context.requestId" },
      responseTemplates: { "application/json": '{"code":"FALLBACK","for":"$context.authorizer.tenantId"}' },
    },
  },
};

/** Literal, parameter and greedy paths, and every kind of answer. */
export function gatewayDocument() {
  const apiKey = { type: "apiKey", in: "header" };
  return {
    openapi: "3.0.1",
    info: { title: "api", version: "1" },
    servers: [
      { url: "/", "x-amazon-apigateway-endpoint-configuration": { disableExecuteApiEndpoint: true } },
    ],
    paths: {
      "/": { "x-amazon-apigateway-any-method": operation(mock) },
      "/cards": {
        get: operation(work),
        post: operation(work),
        put: operation({ ...work, timeoutInMillis: 100 }),
      },
      "/cards/{cardId}": { get: operation(work, "cardId") },
      "/cards/{cardId}/status": { get: operation(work, "cardId") },
      "/cards/transactions": { get: operation(work) },
      "/{proxy+}": { "x-amazon-apigateway-any-method": operation(mock, "proxy") },
    } as Record<string, Record<string, ReturnType<typeof operation>>>,
    components: {
      securitySchemes: {
        authorizer: {
          ...apiKey,
          name: "Unused",
          "x-amazon-apigateway-authtype": "custom",
          "x-amazon-apigateway-authorizer": {
            type: "request",
            authorizerUri: functionUri("authorizer"),
            authorizerResultTtlInSeconds: 0,
          },
        },
        api_key: { ...apiKey, name: "x-api-key" },
      },
    },
    "x-amazon-apigateway-gateway-responses": {
      ACCESS_DENIED: gatewayResponse("403", "$context.authorizer.code"),
      UNAUTHORIZED: gatewayResponse("401", "API_KEY_INVALID"),
      UNSUPPORTED_MEDIA_TYPE: gatewayResponse("404", "NOT_FOUND"),
      DEFAULT_4XX: gatewayResponse(undefined, "DEFAULT_4XX"),
      DEFAULT_5XX: gatewayResponse(undefined, "DEFAULT_5XX"),
    },
  };
}

/** The API of a document, below `v2`. */
export function gatewayTemplate(Body: object = gatewayDocument()): StackFixture {
  const api = { Ref: "Api" };
  return {
    Resources: {
      Api: { Type: "AWS::ApiGateway::RestApi", Properties: { Name: "api", Body } },
      Stage: {
        Type: "AWS::ApiGateway::Stage",
        Properties: { RestApiId: api, StageName: "live", DeploymentId: "d1" },
      },
      Domain: {
        Type: "AWS::ApiGateway::DomainName",
        Properties: {
          DomainName: "localhost",
          SecurityPolicy: "TLS_1_2",
          MutualTlsAuthentication: { TruststoreUri: "s3://truststore/ca.pem" },
        },
      },
      Mapping: {
        Type: "AWS::ApiGatewayV2::ApiMapping",
        Properties: {
          ApiId: api,
          ApiMappingKey: "v2",
          DomainName: { Ref: "Domain" },
          Stage: { Ref: "Stage" },
        },
      },
    },
  };
}
