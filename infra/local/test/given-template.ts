import type { Assembly, Resource } from "../template.ts";

const SERVICES: Record<string, string> = {
  "AWS::SQS::Queue": "sqs",
  "AWS::Lambda::Function": "lambda",
  "AWS::Lambda::Alias": "lambda",
  "AWS::DynamoDB::GlobalTable": "dynamodb",
  "AWS::Events::EventBus": "events",
  "AWS::Events::Rule": "events",
  "AWS::SecretsManager::Secret": "secretsmanager",
  "AWS::KMS::Key": "kms",
};
const PREFIXES: Record<string, string> = {
  "AWS::Lambda::Function": "function:",
  "AWS::Lambda::Alias": "function:",
  "AWS::DynamoDB::GlobalTable": "table/",
  "AWS::Events::EventBus": "event-bus/",
  "AWS::Events::Rule": "rule/",
  "AWS::SecretsManager::Secret": "secret:",
  "AWS::KMS::Key": "key/",
};

export const REGION = "eu-west-1";
export const ACCOUNT = "111122223333";

export function arnOf(type: string, name: string): string {
  if (type === "AWS::S3::Bucket") return `arn:aws:s3:::${name}`;
  return `arn:aws:${SERVICES[type] ?? "none"}:${REGION}:${ACCOUNT}:${PREFIXES[type] ?? ""}${name}`;
}

export function resource(
  type: string,
  physicalName: string,
  arn = arnOf(type, physicalName),
  properties: object = {},
): Resource {
  const names = { stack: "test", logicalId: physicalName, physicalName };
  return { ...names, type, arn, properties: { ...properties } };
}

/** A template as the reader gives it, from `[type, name, properties]`. */
export function givenTemplate(...resources: [type: string, name: string, properties?: object][]): Assembly {
  const all = resources.map(([type, name, properties]) => resource(type, name, undefined, properties));
  return {
    region: REGION,
    account: ACCOUNT,
    resources: all,
    outputs: {},
    ofType: (type) => all.filter((one) => one.type === type),
    byArn: (arn) => all.find((one) => one.arn === arn),
    assetPath: () => "",
  };
}
