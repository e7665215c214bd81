import { isObject } from "./template.ts";

/**
 * `true`: emulated. Text: ignored, for this reason. Object: the same for nested properties.
 * Anything else in a template is an error at start.
 */
export type Known = true | string | { [property: string]: Known };

export function unknownProperties(properties: Record<string, unknown>, known: Known, path = ""): string[] {
  if (known === true || typeof known === "string") return [];
  return Object.entries(properties).flatMap(([name, value]) => {
    const here = path === "" ? name : `${path}.${name}`;
    const rule = Object.hasOwn(known, name) ? known[name] : undefined;
    if (rule === undefined) return [here];
    return [value].flat().flatMap((child) => (isObject(child) ? unknownProperties(child, rule, here) : []));
  });
}

const iam =
  "What a function may do is checked by its role's policies; what a resource or service may do, by the assertion tests alone.";
const encryption = "The engines keep their files unencrypted on this machine.";
const observed =
  "Nothing is alarmed here; the trace, the function logs and the metrics in them show what happens.";
const naming = "A label for people, with no effect.";
const durability = "The data is one folder on this machine: it is kept or deleted as a whole.";
const throttling = "One developer's machine is not protected from its own requests.";
const oneEndpoint = "There is one endpoint: loopback.";
const oneDeployment = "There is one deployment: the template as it is.";
const serverCertificate = "The development PKI makes the server's certificate.";

export const passedOverTypes: Record<string, string> = {
  "AWS::ApiGateway::Account": "The gateway writes no execution logs here.",
  "AWS::ApiGateway::Deployment": oneDeployment,
  "AWS::CloudWatch::Alarm": observed,
  "AWS::CloudWatch::Dashboard": observed,
  "AWS::Lambda::Permission": iam,
  "AWS::Logs::LogGroup": "Logs are files in the local directory.",
  "AWS::Logs::MetricFilter": observed,
  "AWS::S3::Bucket": "No function reads a bucket; the gateway reads the truststore from a file.",
  "AWS::S3::BucketPolicy": iam,
  "AWS::SNS::Topic": observed,
  "AWS::SNS::TopicPolicy": iam,
  "AWS::SQS::QueuePolicy": iam,
  "AWS::WAFv2::LoggingConfiguration": throttling,
  "AWS::WAFv2::WebACL": throttling,
  "AWS::WAFv2::WebACLAssociation": throttling,
};

const keySchema = { AttributeName: true, KeyType: true } as const;

export const supportedTypes: Record<string, Record<string, Known>> = {
  "AWS::ApiGateway::Authorizer": {
    AuthorizerResultTtlInSeconds: true,
    AuthorizerUri: true,
    Name: naming,
    RestApiId: true,
    Type: true,
  },
  "AWS::ApiGateway::DomainName": {
    DomainName: true,
    MutualTlsAuthentication: { TruststoreUri: true },
    SecurityPolicy: true,
    RegionalCertificateArn: serverCertificate,
    EndpointConfiguration: oneEndpoint,
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
      IntegrationResponses: { ResponseParameters: true, ResponseTemplates: true, StatusCode: true },
      PassthroughBehavior: true,
      RequestTemplates: true,
      TimeoutInMillis: true,
      Type: true,
      Uri: true,
    },
    MethodResponses: "Declares the answers' shape to generated clients only.",
    ResourceId: true,
    RestApiId: true,
  },
  "AWS::ApiGateway::Resource": { ParentId: true, PathPart: true, RestApiId: true },
  "AWS::ApiGateway::RestApi": {
    ApiKeySourceType: true,
    DisableExecuteApiEndpoint: true,
    EndpointConfiguration: oneEndpoint,
    Name: naming,
  },
  "AWS::ApiGateway::Stage": {
    AccessLogSetting: "The trace takes the place of the access log.",
    DeploymentId: oneDeployment,
    MethodSettings: throttling,
    RestApiId: true,
    StageName: true,
    TracingEnabled: observed,
  },
  "AWS::ApiGateway::UsagePlan": {
    // Throttles of single methods: not supported.
    ApiStages: { ApiId: true, Stage: true, Throttle: {} },
    Description: naming,
    Throttle: { BurstLimit: true, RateLimit: true },
    UsagePlanName: true,
  },
  "AWS::ApiGatewayV2::ApiMapping": { ApiId: true, ApiMappingKey: true, DomainName: true, Stage: true },
  "AWS::DynamoDB::Table": {
    TableName: true,
    AttributeDefinitions: { AttributeName: true, AttributeType: true },
    KeySchema: keySchema,
    GlobalSecondaryIndexes: {
      IndexName: true,
      KeySchema: keySchema,
      Projection: { ProjectionType: true, NonKeyAttributes: true },
    },
    StreamSpecification: { StreamViewType: true },
    BillingMode: "The engines have no capacity to bill.",
    DeletionProtectionEnabled: durability,
    PointInTimeRecoverySpecification: durability,
    SSESpecification: encryption,
    TimeToLiveSpecification:
      "Neither engine deletes by time to live at a moment that anyone may rely on, and nor does AWS.",
  },
  "AWS::Events::EventBus": { Name: true },
  "AWS::Events::Rule": {
    Description: naming,
    EventBusName: true,
    EventPattern: true,
    ScheduleExpression: true,
    State: true,
    Targets: { Arn: true, Id: true, DeadLetterConfig: true, RetryPolicy: true },
  },
  "AWS::KMS::Key": {
    Description: naming,
    EnableKeyRotation: encryption,
    KeyPolicy: true,
    KeySpec: true,
    KeyUsage: true,
    RotationPeriodInDays: encryption,
  },
  "AWS::IAM::Policy": { PolicyDocument: true, PolicyName: naming, Roles: true },
  "AWS::IAM::Role": {
    AssumeRolePolicyDocument: iam,
    Description: naming,
    ManagedPolicyArns: true,
    RoleName: true,
  },
  "AWS::Lambda::EventInvokeConfig": {
    FunctionName: true,
    MaximumEventAgeInSeconds: "An event is handed over at once.",
    MaximumRetryAttempts: true,
    Qualifier: true,
  },
  "AWS::Lambda::EventSourceMapping": {
    BatchSize: true,
    BisectBatchOnFunctionError: true,
    DestinationConfig: true,
    Enabled: true,
    EventSourceArn: true,
    FilterCriteria: true,
    FunctionName: true,
    FunctionResponseTypes: true,
    MaximumBatchingWindowInSeconds: "Records are handed over at once, in smaller batches.",
    MaximumRecordAgeInSeconds: true,
    MaximumRetryAttempts: true,
    ScalingConfig: true,
    StartingPosition: true,
  },
  "AWS::Lambda::Function": {
    Architectures: "The bundles are JavaScript and run on either architecture.",
    Code: { S3Bucket: true, S3Key: true },
    Description: naming,
    Environment: { Variables: true },
    FunctionName: true,
    Handler: true,
    LoggingConfig: "Logs are files in the local directory.",
    MemorySize: true,
    ReservedConcurrentExecutions: true,
    Role: true,
    Runtime: true,
    Timeout: true,
    TracingConfig: observed,
  },
  "AWS::SQS::Queue": {
    QueueName: true,
    MaximumMessageSize: true,
    MessageRetentionPeriod: true,
    RedrivePolicy: true,
    SqsManagedSseEnabled: encryption,
    VisibilityTimeout: true,
  },
  "AWS::SecretsManager::Secret": {
    Description: naming,
    GenerateSecretString: true,
    KmsKeyId: encryption,
  },
};
