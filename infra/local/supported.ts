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

export const ignoredTypes: Record<string, string> = {
  "AWS::ApiGateway::Account": "The gateway writes no execution logs here.",
  "AWS::ApiGateway::Deployment": oneDeployment,
  "AWS::CodeDeploy::Application": oneDeployment,
  "AWS::CodeDeploy::DeploymentGroup": oneDeployment,
  "AWS::CloudWatch::Alarm": observed,
  "AWS::CloudWatch::Dashboard": observed,
  "AWS::Lambda::Permission": iam,
  "AWS::Logs::LogGroup": "Logs are files in the local directory.",
  "AWS::Logs::MetricFilter": observed,
  "AWS::S3::BucketPolicy": iam,
  "AWS::SNS::TopicPolicy": iam,
  "AWS::SQS::QueuePolicy": iam,
  "AWS::WAFv2::LoggingConfiguration": throttling,
  "AWS::WAFv2::WebACL": throttling,
  "AWS::WAFv2::WebACLAssociation": throttling,
};

/** Names are separated by spaces. */
function emulated(names: string): Record<string, true> {
  return Object.fromEntries(names.split(" ").map((name) => [name, true]));
}

const units = "The engines limit nothing, and bill nothing.";
const keySchema = emulated("AttributeName KeyType");

export const supportedTypes: Record<string, Record<string, Known>> = {
  "AWS::ApiGateway::DomainName": {
    ...emulated("DomainName SecurityPolicy"),
    MutualTlsAuthentication: { TruststoreUri: true },
    RegionalCertificateArn: serverCertificate,
    EndpointConfiguration: oneEndpoint,
  },
  "AWS::ApiGateway::RestApi": {
    Body: true,
    DisableExecuteApiEndpoint: "Its document decides.",
    EndpointConfiguration: oneEndpoint,
    Name: naming,
    Parameters: { endpointConfigurationTypes: oneEndpoint },
  },
  "AWS::ApiGateway::Stage": {
    ...emulated("RestApiId StageName"),
    AccessLogSetting: "The trace takes the place of the access log.",
    DeploymentId: oneDeployment,
    MethodSettings: throttling,
    TracingEnabled: observed,
  },
  "AWS::ApiGateway::UsagePlan": {
    UsagePlanName: true,
    // Throttles of single methods: not supported.
    ApiStages: { ApiId: true, Stage: true, Throttle: {} },
    Description: naming,
    Throttle: { BurstLimit: true, RateLimit: true },
  },
  "AWS::ApiGatewayV2::ApiMapping": emulated("ApiId ApiMappingKey DomainName Stage"),
  "AWS::DynamoDB::GlobalTable": {
    TableName: true,
    AttributeDefinitions: { AttributeName: true, AttributeType: true },
    KeySchema: keySchema,
    GlobalSecondaryIndexes: {
      IndexName: true,
      KeySchema: keySchema,
      Projection: { ProjectionType: true, NonKeyAttributes: true },
      WriteOnDemandThroughputSettings: units,
    },
    Replicas: {
      Region: true,
      ResourcePolicy: { PolicyDocument: true },
      SSESpecification: { KMSMasterKeyId: true },
      GlobalSecondaryIndexes: units,
      ContributorInsightsSpecification: observed,
      ReadOnDemandThroughputSettings: units,
      DeletionProtectionEnabled: durability,
      TableClass: "The engines have one class of tables.",
      PointInTimeRecoverySpecification: durability,
    },
    StreamSpecification: { StreamViewType: true },
    BillingMode: units,
    WriteOnDemandThroughputSettings: units,
    SSESpecification: encryption,
    TimeToLiveSpecification:
      "Neither engine deletes by time to live at a moment that anyone may rely on, and nor does AWS.",
  },
  "AWS::Events::EventBus": { Name: true },
  "AWS::Events::Rule": {
    ...emulated("EventBusName EventPattern ScheduleExpression State"),
    Description: naming,
    Targets: {
      ...emulated("Arn Id DeadLetterConfig RetryPolicy"),
      InputTransformer: emulated("InputPathsMap InputTemplate"),
    },
  },
  "AWS::KMS::Key": {
    ...emulated("KeyPolicy KeySpec KeyUsage MultiRegion"),
    Description: naming,
    EnableKeyRotation: encryption,
    RotationPeriodInDays: encryption,
  },
  "AWS::IAM::ManagedPolicy": {
    ...emulated("ManagedPolicyName PolicyDocument"),
    Description: naming,
    Path: naming,
  },
  "AWS::IAM::Policy": { PolicyDocument: true, PolicyName: naming, Roles: true },
  "AWS::IAM::Role": {
    ...emulated("ManagedPolicyArns RoleName"),
    AssumeRolePolicyDocument: iam,
    Description: naming,
  },
  "AWS::Lambda::Alias": emulated("FunctionName FunctionVersion Name"),
  "AWS::Lambda::EventInvokeConfig": {
    ...emulated("FunctionName MaximumRetryAttempts Qualifier"),
    MaximumEventAgeInSeconds: "An event is handed over at once.",
  },
  "AWS::Lambda::EventSourceMapping": {
    ...emulated(
      "BatchSize BisectBatchOnFunctionError DestinationConfig Enabled EventSourceArn FilterCriteria",
    ),
    ...emulated(
      "FunctionName FunctionResponseTypes MaximumRecordAgeInSeconds MaximumRetryAttempts ScalingConfig StartingPosition",
    ),
    MaximumBatchingWindowInSeconds: "Records are handed over at once, in smaller batches.",
  },
  "AWS::Lambda::Function": {
    ...emulated("FunctionName Handler MemorySize ReservedConcurrentExecutions Role Runtime Timeout"),
    RecursiveLoop: "A function that causes its own invocations is not stopped.",
    Architectures: "The bundles are JavaScript and run on either architecture.",
    Code: { S3Bucket: true, S3Key: true },
    Description: naming,
    Environment: { Variables: true },
    LoggingConfig: "Logs are files in the local directory.",
    TracingConfig: observed,
  },
  "AWS::Lambda::Version": {
    FunctionName: true,
    ProvisionedConcurrencyConfig: "One environment of each function is always started.",
  },
  "AWS::S3::Bucket": {
    NotificationConfiguration: { EventBridgeConfiguration: { EventBridgeEnabled: true } },
    ...emulated("ObjectLockEnabled ObjectLockConfiguration"),
    BucketEncryption: encryption,
    LifecycleConfiguration: durability,
    LoggingConfiguration: observed,
    OwnershipControls: iam,
    PublicAccessBlockConfiguration: iam,
    VersioningConfiguration: durability,
  },
  "AWS::SNS::Topic": {
    DisplayName: naming,
    KmsMasterKeyId: encryption,
  },
  "AWS::SQS::Queue": {
    ...emulated("QueueName MaximumMessageSize MessageRetentionPeriod RedrivePolicy VisibilityTimeout"),
    SqsManagedSseEnabled: encryption,
  },
  "AWS::SecretsManager::Secret": {
    GenerateSecretString: true,
    ReplicaRegions: "One region runs here.",
    Description: naming,
    KmsKeyId: encryption,
  },
};
