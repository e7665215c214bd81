import { createHash } from "node:crypto";

export interface Naming {
  type: string;
  logicalId: string;
  stackName: string;
  region: string;
  account: string;
  properties: Record<string, unknown>;
  queueEndpoint: string;
}

export interface Identity {
  physicalName: string;
  /** Empty for types without an ARN. */
  arn: string;
  ref: string;
  attributes: Record<string, string>;
}

interface Kind {
  /** The property that may have its name. */
  readonly named?: string;
  /** It has no name, but an id of so many characters. */
  readonly idLength?: number;
  /** The service and the resource of its ARN; `*` stands for its name. */
  readonly arn?: string;
  /** `Ref` gives its ARN, not its name. */
  readonly refersToArn?: true;
}

const kinds: Readonly<Record<string, Kind>> = {
  "AWS::ApiGateway::Deployment": { idLength: 6 },
  "AWS::ApiGateway::DomainName": { named: "DomainName" },
  "AWS::ApiGateway::RestApi": { idLength: 10 },
  "AWS::ApiGateway::Stage": { named: "StageName" },
  "AWS::ApiGateway::UsagePlan": { idLength: 6 },
  "AWS::DynamoDB::GlobalTable": { named: "TableName", arn: "dynamodb:table/*" },
  "AWS::Events::EventBus": { named: "Name", arn: "events:event-bus/*" },
  "AWS::Events::Rule": { arn: "events:rule/*" },
  "AWS::IAM::ManagedPolicy": { named: "ManagedPolicyName", arn: "iam:policy/*", refersToArn: true },
  "AWS::IAM::Role": { named: "RoleName", arn: "iam:role/*" },
  "AWS::KMS::Key": { arn: "kms:key/*" },
  "AWS::Lambda::Alias": { arn: "lambda:function:*", refersToArn: true },
  "AWS::Lambda::EventSourceMapping": { idLength: 32 },
  "AWS::Lambda::Function": { named: "FunctionName", arn: "lambda:function:*" },
  "AWS::Lambda::Version": { arn: "lambda:function:*", refersToArn: true },
  "AWS::Logs::LogGroup": { named: "LogGroupName", arn: "logs:log-group:*:*" },
  "AWS::S3::Bucket": { named: "BucketName", arn: "s3:*" },
  "AWS::SNS::Topic": { arn: "sns:*", refersToArn: true },
  "AWS::SQS::Queue": { named: "QueueName", arn: "sqs:*" },
  "AWS::SecretsManager::Secret": { arn: "secretsmanager:secret:*", refersToArn: true },
};

/** Derives ids that AWS draws at random from the logical id, so that they stay the same. */
export function derivedId(naming: Pick<Naming, "stackName" | "logicalId">, length: number): string {
  return BigInt(`0x${digest(naming)}`)
    .toString(36)
    .slice(0, length);
}

function digest({ stackName, logicalId }: Pick<Naming, "stackName" | "logicalId">): string {
  return createHash("sha256").update(`${stackName}/${logicalId}`).digest("hex");
}

function toName(naming: Naming, { named = "", idLength }: Kind): string {
  const { type, properties } = naming;
  if (type === "AWS::Lambda::Version") return `${properties.FunctionName}:1`;
  if (type === "AWS::Lambda::Alias") return `${properties.FunctionName}:${properties.Name}`;
  // A multi-Region key has the same id in each of its regions.
  if (type === "AWS::KMS::Key")
    return properties.MultiRegion === true ? `mrk-${digest(naming).slice(0, 32)}` : derivedId(naming, 36);
  if (idLength !== undefined) return derivedId(naming, idLength);
  const made = `${naming.stackName}-${naming.logicalId}`;
  const short = made.length <= 64 ? made : `${made.slice(0, 51)}-${derivedId(naming, 12)}`;
  const given = properties[named];
  const name = typeof given === "string" ? given : short;
  return type === "AWS::S3::Bucket" ? name.toLowerCase() : name;
}

/** A rule's ARN has its bus, given by name or ARN, if it is not the default one. */
function toNameInArn(naming: Naming, name: string): string {
  if (naming.type === "AWS::SecretsManager::Secret") return `${name}-${derivedId(naming, 6)}`;
  const { EventBusName: bus } = naming.properties;
  return typeof bus === "string" ? `${bus.split("/").at(-1)}/${name}` : name;
}

/** Returns a resource's name and the values of `Ref` and `Fn::GetAtt`. */
export function identify(naming: Naming): Identity {
  const { type, region, account, queueEndpoint } = naming;
  const kind = kinds[type] ?? {};
  const name = toName(naming, kind);
  const [, service, resource = ""] = /^(\w+):(.*)$/.exec(kind.arn ?? "") ?? [];
  const place = { s3: ":", iam: `:${account}` }[String(service)] ?? `${region}:${account}`;
  const own = resource.replace("*", toNameInArn(naming, name));
  const arn = service === undefined ? "" : `arn:aws:${service}:${place}:${own}`;
  const further: Readonly<Record<string, Record<string, string>>> = {
    "AWS::DynamoDB::GlobalTable": { StreamArn: `${arn}/stream/local` },
    "AWS::SQS::Queue": { QueueName: name },
    "AWS::Lambda::Version": { Version: "1" },
    // What a DNS record of the host leads to.
    "AWS::ApiGateway::DomainName": {
      RegionalDomainName: `d-${derivedId(naming, 10)}.execute-api.${region}.amazonaws.com`,
      RegionalHostedZoneId: `Z${derivedId(naming, 13).toUpperCase()}`,
    },
  };
  const attributes = { ...(arn !== "" && { Arn: arn }), ...further[type] };
  const url = type === "AWS::SQS::Queue" ? `${queueEndpoint}/${account}/${name}` : undefined;
  return { physicalName: name, arn, ref: url ?? (kind.refersToArn ? arn : name), attributes };
}
