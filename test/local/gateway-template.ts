import type { StackFixture } from "./given-assembly.ts";

const functionUri = (name: string) =>
  `arn:aws:apigateway:eu-west-1:lambda:path/2015-03-31/functions/arn:aws:lambda:eu-west-1:111122223333:function:${name}/invocations`;
const api = { Ref: "Api" };
const root = { "Fn::GetAtt": ["Api", "RootResourceId"] };
const resource = (parent: unknown, PathPart: string) => ({
  Type: "AWS::ApiGateway::Resource",
  Properties: { RestApiId: api, ParentId: parent, PathPart },
});
const method = (
  resourceId: unknown,
  HttpMethod: string,
  Integration: unknown = { Type: "AWS_PROXY", Uri: functionUri("work") },
) => ({
  Type: "AWS::ApiGateway::Method",
  Properties: {
    RestApiId: api,
    ResourceId: resourceId,
    HttpMethod,
    AuthorizationType: "CUSTOM",
    AuthorizerId: { Ref: "Authorizer" },
    Integration,
  },
});
const gatewayResponse = (ResponseType: string, StatusCode: string | undefined, code: string) => ({
  Type: "AWS::ApiGateway::GatewayResponse",
  Properties: {
    RestApiId: api,
    ResponseType,
    ...(StatusCode === undefined ? {} : { StatusCode }),
    ResponseParameters: {
      "gatewayresponse.header.X-Request-Id": "context.requestId",
      "gatewayresponse.header.X-Fixed": "'fixed'",
    },
    ResponseTemplates: { "application/json": `{"code":"${code}","requestId":"$context.requestId"}` },
  },
});
const mock = {
  Type: "MOCK",
  PassthroughBehavior: "NEVER",
  RequestTemplates: { "application/json": '{"statusCode": 404}' },
  IntegrationResponses: [
    {
      StatusCode: "404",
      ResponseParameters: { "method.response.header.X-Request-Id": "context.requestId" },
      ResponseTemplates: { "application/json": '{"code":"FALLBACK","for":"$context.authorizer.tenantId"}' },
    },
  ],
};

/** Literal, parameter and greedy paths, and every kind of answer, below `v2`. */
export function gatewayTemplate(): StackFixture {
  return {
    Resources: {
      Api: { Type: "AWS::ApiGateway::RestApi", Properties: { Name: "api", DisableExecuteApiEndpoint: true } },
      Stage: {
        Type: "AWS::ApiGateway::Stage",
        Properties: { RestApiId: api, StageName: "live", DeploymentId: "d1" },
      },
      Authorizer: {
        Type: "AWS::ApiGateway::Authorizer",
        Properties: {
          RestApiId: api,
          Type: "REQUEST",
          AuthorizerResultTtlInSeconds: 0,
          AuthorizerUri: functionUri("authorizer"),
        },
      },
      Cards: resource(root, "cards"),
      Card: resource({ Ref: "Cards" }, "{cardId}"),
      CardStatus: resource({ Ref: "Card" }, "status"),
      Transactions: resource({ Ref: "Cards" }, "transactions"),
      Proxy: resource(root, "{proxy+}"),
      GetCards: method({ Ref: "Cards" }, "GET"),
      PostCards: method({ Ref: "Cards" }, "POST"),
      GetCard: method({ Ref: "Card" }, "GET"),
      GetCardStatus: method({ Ref: "CardStatus" }, "GET"),
      GetTransactions: method({ Ref: "Transactions" }, "GET"),
      SlowCards: method({ Ref: "Cards" }, "PUT", {
        Type: "AWS_PROXY",
        Uri: functionUri("work"),
        TimeoutInMillis: 100,
      }),
      AnyRoot: method(root, "ANY", mock),
      AnyProxy: method({ Ref: "Proxy" }, "ANY", mock),
      Denied: gatewayResponse("ACCESS_DENIED", "403", "$context.authorizer.code"),
      Unauthorized: gatewayResponse("UNAUTHORIZED", "401", "API_KEY_INVALID"),
      Unsupported: gatewayResponse("UNSUPPORTED_MEDIA_TYPE", "404", "NOT_FOUND"),
      Default4xx: gatewayResponse("DEFAULT_4XX", undefined, "DEFAULT_4XX"),
      Default5xx: gatewayResponse("DEFAULT_5XX", undefined, "DEFAULT_5XX"),
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
