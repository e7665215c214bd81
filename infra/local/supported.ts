import { DURABILITY, ENCRYPTION, IAM, NAMING, OBSERVED, TAGS, THROTTLING } from "./passed-over.ts";

/**
 * What the local target knows of a template. `true`: it runs what the property says. A sentence: it knowingly passes
 * the property over, for that reason. A table: the same for the properties inside. Anything not here is an error at start.
 */
export type Known = true | string | { [property: string]: Known };

const KEY_SCHEMA = { AttributeName: true, KeyType: true } as const;
const INDEX = {
  IndexName: true,
  KeySchema: KEY_SCHEMA,
  Projection: { ProjectionType: true, NonKeyAttributes: true },
  ContributorInsightsSpecification: OBSERVED,
} as const;
const TIME_TO_LIVE =
  "Neither engine deletes by time to live at a moment that anyone may rely on, and nor does AWS.";
const TABLE = {
  TableName: true,
  AttributeDefinitions: { AttributeName: true, AttributeType: true },
  KeySchema: KEY_SCHEMA,
  GlobalSecondaryIndexes: INDEX,
  StreamSpecification: { StreamViewType: true, ResourcePolicy: IAM },
  BillingMode: "The engines have no capacity to bill.",
  TimeToLiveSpecification: TIME_TO_LIVE,
  SSESpecification: ENCRYPTION,
} as const;
const TARGET = {
  Arn: true,
  Id: true,
  Input: true,
  RoleArn: IAM,
  DeadLetterConfig: true,
  RetryPolicy: true,
} as const;

/** The types that run, with their properties. */
export const SUPPORTED_TYPES: Record<string, Record<string, Known>> = {
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
      TruststoreVersion: "The file of the development CA is its only version.",
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
  "AWS::ApiGatewayV2::ApiMapping": { ApiId: true, ApiMappingKey: true, DomainName: true, Stage: true },
  "AWS::DynamoDB::GlobalTable": {
    ...TABLE,
    Replicas: {
      Region: "The one region is this machine.",
      ContributorInsightsSpecification: OBSERVED,
      DeletionProtectionEnabled: DURABILITY,
      GlobalSecondaryIndexes: OBSERVED,
      KinesisStreamSpecification: OBSERVED,
      PointInTimeRecoverySpecification: DURABILITY,
      ResourcePolicy: IAM,
      SSESpecification: ENCRYPTION,
      TableClass: DURABILITY,
      Tags: TAGS,
    },
    WarmThroughput: "The engines have no capacity to warm.",
  },
  "AWS::DynamoDB::Table": {
    ...TABLE,
    ContributorInsightsSpecification: OBSERVED,
    DeletionProtectionEnabled: DURABILITY,
    PointInTimeRecoverySpecification: DURABILITY,
    Tags: TAGS,
  },
  "AWS::Events::EventBus": {
    Name: true,
    Description: NAMING,
    KmsKeyIdentifier: ENCRYPTION,
    DeadLetterConfig: "A bus's own dead letters are the events that KMS could not decrypt.",
    LogConfig: OBSERVED,
    Tags: TAGS,
  },
  "AWS::Events::Rule": {
    Name: true,
    Description: NAMING,
    EventBusName: true,
    EventPattern: true,
    ScheduleExpression: true,
    State: true,
    Targets: { ...TARGET, InputPath: true, SqsParameters: true },
  },
  "AWS::Lambda::EventInvokeConfig": {
    DestinationConfig: true,
    FunctionName: true,
    MaximumEventAgeInSeconds: true,
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
    MaximumBatchingWindowInSeconds: true,
    MaximumRecordAgeInSeconds: true,
    MaximumRetryAttempts: true,
    ParallelizationFactor: "Records run one batch at a time, which keeps every order that the factor keeps.",
    ScalingConfig: true,
    StartingPosition: true,
    KmsKeyArn: ENCRYPTION,
    MetricsConfig: OBSERVED,
    Tags: TAGS,
  },
  "AWS::Lambda::Function": {
    Architectures: "The bundles are JavaScript and run on either architecture.",
    Code: { S3Bucket: true, S3Key: true },
    DeadLetterConfig: true,
    Description: NAMING,
    Environment: { Variables: true },
    EphemeralStorage: "No function writes to /tmp.",
    FunctionName: true,
    Handler: true,
    KmsKeyArn: ENCRYPTION,
    LoggingConfig: "Logs are files in the local directory.",
    MemorySize: true,
    ReservedConcurrentExecutions: true,
    Role: IAM,
    Runtime: true,
    Tags: TAGS,
    Timeout: true,
    TracingConfig: OBSERVED,
  },
  "AWS::SQS::Queue": {
    QueueName: true,
    DelaySeconds: true,
    FifoQueue: true,
    ContentBasedDeduplication: true,
    KmsMasterKeyId: ENCRYPTION,
    KmsDataKeyReusePeriodSeconds: ENCRYPTION,
    MaximumMessageSize: true,
    MessageRetentionPeriod: true,
    ReceiveMessageWaitTimeSeconds: true,
    RedriveAllowPolicy: IAM,
    RedrivePolicy: true,
    SqsManagedSseEnabled: ENCRYPTION,
    Tags: TAGS,
    VisibilityTimeout: true,
  },
  "AWS::Scheduler::Schedule": {
    Name: true,
    Description: NAMING,
    FlexibleTimeWindow: true,
    GroupName: true,
    KmsKeyArn: ENCRYPTION,
    ScheduleExpression: true,
    ScheduleExpressionTimezone: true,
    State: true,
    Target: TARGET,
  },
  "AWS::Scheduler::ScheduleGroup": { Name: NAMING, Tags: TAGS },
  "AWS::SecretsManager::Secret": {
    Name: true,
    Description: NAMING,
    GenerateSecretString: true,
    KmsKeyId: ENCRYPTION,
    Tags: TAGS,
  },
};

/** The faults of a resource's properties against the table: one line for each property that is not known. */
export function unknownProperties(properties: Record<string, unknown>, known: Known, path = ""): string[] {
  if (known === true || typeof known === "string") return [];
  return Object.entries(properties).flatMap(([name, value]) => {
    const here = path === "" ? name : `${path}.${name}`;
    const rule = Object.hasOwn(known, name) ? known[name] : undefined;
    if (rule === undefined) return [here];
    const children = Array.isArray(value) ? value : [value];
    return children.flatMap((child) =>
      typeof child === "object" && child !== null ? unknownProperties(child, rule, here) : [],
    );
  });
}
