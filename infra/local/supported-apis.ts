import type { Known } from "./known-properties.ts";
import { IAM, NAMING, OBSERVED, TAGS, THROTTLING } from "./passed-over.ts";

/** The types of API Gateway that run, with their properties. */
export const API_TYPES: Record<string, Record<string, Known>> = {
  "AWS::ApiGateway::Authorizer": {
    AuthorizerResultTtlInSeconds: true,
    AuthorizerUri: true,
    AuthorizerCredentials: IAM,
    IdentitySource: true,
    Name: NAMING,
    RestApiId: true,
    Type: true,
  },
  "AWS::ApiGateway::DomainName": {
    DomainName: true,
    MutualTlsAuthentication: {
      TruststoreUri: true,
      TruststoreVersion: "The file of the truststore is its only version.",
    },
    SecurityPolicy: true,
    RegionalCertificateArn: "The development PKI makes the server's certificate.",
    EndpointConfiguration: "There is one endpoint: loopback.",
    Tags: TAGS,
  },
  "AWS::ApiGateway::GatewayResponse": {
    ResponseParameters: true,
    ResponseTemplates: true,
    ResponseType: true,
    RestApiId: true,
    StatusCode: true,
  },
  "AWS::ApiGateway::Method": {
    ApiKeyRequired: true,
    AuthorizationType: true,
    AuthorizerId: true,
    HttpMethod: true,
    Integration: {
      IntegrationHttpMethod: "A Lambda invocation is always a POST.",
      IntegrationResponses: {
        ResponseParameters: true,
        ResponseTemplates: true,
        StatusCode: true,
        SelectionPattern: true,
      },
      PassthroughBehavior: true,
      RequestTemplates: true,
      TimeoutInMillis: true,
      Type: true,
      Uri: true,
      Credentials: IAM,
    },
    MethodResponses: "Declares the answers' shape to generated clients only.",
    OperationName: NAMING,
    ResourceId: true,
    RestApiId: true,
  },
  "AWS::ApiGateway::Resource": { ParentId: true, PathPart: true, RestApiId: true },
  "AWS::ApiGateway::RestApi": {
    ApiKeySourceType: true,
    Description: NAMING,
    DisableExecuteApiEndpoint: true,
    EndpointConfiguration: "There is one endpoint: loopback.",
    Name: NAMING,
    Tags: TAGS,
  },
  "AWS::ApiGateway::Stage": {
    AccessLogSetting: "The trace takes the place of the access log.",
    DeploymentId: "There is one deployment: the template as it is.",
    Description: NAMING,
    MethodSettings: THROTTLING,
    RestApiId: true,
    StageName: true,
    Tags: TAGS,
    TracingEnabled: OBSERVED,
    Variables: true,
  },
  "AWS::ApiGateway::UsagePlan": {
    // Throttles of single methods, of which there are none.
    ApiStages: { ApiId: true, Stage: true, Throttle: {} },
    Description: NAMING,
    Tags: TAGS,
    Throttle: { BurstLimit: true, RateLimit: true },
    UsagePlanName: true,
  },
  "AWS::ApiGatewayV2::ApiMapping": { ApiId: true, ApiMappingKey: true, DomainName: true, Stage: true },
};
