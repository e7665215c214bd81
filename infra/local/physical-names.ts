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

const nameProperties: Record<string, string> = {
  "AWS::DynamoDB::GlobalTable": "TableName",
  "AWS::SQS::Queue": "QueueName",
  "AWS::Lambda::Function": "FunctionName",
  "AWS::Events::EventBus": "Name",
  "AWS::S3::Bucket": "BucketName",
  "AWS::IAM::ManagedPolicy": "ManagedPolicyName",
  "AWS::IAM::Role": "RoleName",
  "AWS::Logs::LogGroup": "LogGroupName",
  "AWS::ApiGateway::DomainName": "DomainName",
  "AWS::ApiGateway::Stage": "StageName",
};

/** Derives ids that AWS draws at random from the logical id, so that they stay the same. */
export function derivedId(naming: Pick<Naming, "stackName" | "logicalId">, length: number): string {
  return BigInt(`0x${digest(naming)}`)
    .toString(36)
    .slice(0, length);
}

/** A multi-Region key has the same id in each of its regions. */
function keyId(naming: Naming): string {
  return naming.properties.MultiRegion === true
    ? `mrk-${digest(naming).slice(0, 32)}`
    : derivedId(naming, 36);
}

function digest({ stackName, logicalId }: Pick<Naming, "stackName" | "logicalId">): string {
  return createHash("sha256").update(`${stackName}/${logicalId}`).digest("hex");
}

function generatedName(naming: Naming): string {
  const name = `${naming.stackName}-${naming.logicalId}`;
  return name.length <= 64 ? name : `${name.slice(0, 51)}-${derivedId(naming, 12)}`;
}

function toName(naming: Naming): string {
  const { type, properties } = naming;
  if (type === "AWS::Lambda::Version") return `${properties.FunctionName}:1`;
  if (type === "AWS::Lambda::Alias") return `${properties.FunctionName}:${properties.Name}`;
  const given = properties[nameProperties[type] ?? ""];
  return typeof given === "string" ? given : generatedName(naming);
}

/** By its name or its ARN. The default bus is no part of a rule's ARN. */
function findBus({ EventBusName: bus }: Naming["properties"]): string {
  return typeof bus === "string" ? `${bus.split("/").at(-1)}/` : "";
}

/** Returns a resource's name and the values of `Ref` and `Fn::GetAtt`. */
export function identify(naming: Naming): Identity {
  const { type, region, account, properties } = naming;
  const name = toName(naming);
  const toArn = (service: string, resource: string) => `arn:aws:${service}:${region}:${account}:${resource}`;
  const named = (arn: string, more: Record<string, string> = {}): Identity => {
    const attributes = { ...(arn !== "" && { Arn: arn }), ...more };
    return { physicalName: name, arn, ref: name, attributes };
  };
  const withId = (id: string, arn = ""): Identity => ({ ...named(arn), physicalName: id, ref: id });
  const byArn = (arn: string): Identity => ({ ...named(arn), ref: arn });
  switch (type) {
    case "AWS::DynamoDB::GlobalTable":
      return named(toArn("dynamodb", `table/${name}`), {
        StreamArn: toArn("dynamodb", `table/${name}/stream/local`),
      });
    case "AWS::SQS::Queue": {
      const url = `${naming.queueEndpoint}/${account}/${name}`;
      return { ...named(toArn("sqs", name), { QueueName: name }), ref: url };
    }
    case "AWS::Lambda::Function":
      return named(toArn("lambda", `function:${name}`));
    case "AWS::Lambda::Version":
    case "AWS::Lambda::Alias":
      return { ...byArn(toArn("lambda", `function:${name}`)), attributes: { Version: "1" } };
    case "AWS::Lambda::EventSourceMapping":
      return withId(derivedId(naming, 32));
    case "AWS::Events::EventBus":
      return named(toArn("events", `event-bus/${name}`));
    case "AWS::Events::Rule":
      return named(toArn("events", `rule/${findBus(properties)}${name}`));
    case "AWS::SecretsManager::Secret":
      return byArn(toArn("secretsmanager", `secret:${name}-${derivedId(naming, 6)}`));
    case "AWS::KMS::Key":
      return withId(keyId(naming), toArn("kms", `key/${keyId(naming)}`));
    case "AWS::S3::Bucket":
      return withId(name.toLowerCase(), `arn:aws:s3:::${name.toLowerCase()}`);
    case "AWS::IAM::ManagedPolicy":
      return byArn(`arn:aws:iam::${account}:policy/${name}`);
    case "AWS::IAM::Role":
      return named(`arn:aws:iam::${account}:role/${name}`);
    case "AWS::SNS::Topic":
      return byArn(toArn("sns", name));
    case "AWS::Logs::LogGroup":
      return named(toArn("logs", `log-group:${name}:*`));
    case "AWS::ApiGateway::RestApi":
      return withId(derivedId(naming, 10));
    case "AWS::ApiGateway::DomainName":
      // What a DNS record of the host leads to.
      return named("", {
        RegionalDomainName: `d-${derivedId(naming, 10)}.execute-api.${region}.amazonaws.com`,
        RegionalHostedZoneId: `Z${derivedId(naming, 13).toUpperCase()}`,
      });
    case "AWS::ApiGateway::UsagePlan":
    case "AWS::ApiGateway::Deployment":
      return withId(derivedId(naming, 6));
    default:
      return named("");
  }
}
