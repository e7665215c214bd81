import { AccessControl, toAccessKey, type UsedGrant } from "../access/access-control.ts";
import { readRules } from "../access/read-policies.ts";
import type { ServiceCall } from "../access/requested.ts";
import type { TraceEntry } from "../interfaces.ts";
import type { Assembly } from "../template.ts";
import { ACCOUNT, arnOf, givenTemplate, REGION } from "./given-template.ts";

export const [region, account] = [REGION, ACCOUNT];
export const tableArn = arnOf("AWS::DynamoDB::GlobalTable", "issuing");
export const keyArn = arnOf("AWS::KMS::Key", "data");
export const viaDynamo = { StringEquals: { "kms:ViaService": `dynamodb.${region}.amazonaws.com` } };

const replica = { Region: region, SSESpecification: { KMSMasterKeyId: keyArn } };

/** A function `cards` whose role has these statements, a table, a queue and a bus. */
export function assemblyWith(...statements: object[]): Assembly {
  return givenTemplate(
    ["AWS::Lambda::Function", "cards", { Role: arnOf("AWS::IAM::Role", "cards-role") }],
    ["AWS::IAM::Role", "cards-role"],
    [
      "AWS::IAM::Policy",
      "cards-policy",
      { Roles: ["cards-role"], PolicyDocument: { Version: "2012-10-17", Statement: statements } },
    ],
    ["AWS::DynamoDB::GlobalTable", "issuing", { Replicas: [replica] }],
    ["AWS::SQS::Queue", "work"],
    ["AWS::Lambda::Alias", "vault:cards"],
    ["AWS::Lambda::Alias", "vault:network"],
    ["AWS::Events::EventBus", "bus"],
    [
      "AWS::S3::Bucket",
      "files",
      {
        BucketEncryption: {
          ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { KMSMasterKeyID: keyArn } }],
        },
      },
    ],
  );
}

export const allow = (Action: string | string[], Resource: string | string[], Condition?: object) => ({
  Effect: "Allow",
  Action,
  Resource,
  ...(Condition && { Condition }),
});
export const decrypt = allow("kms:Decrypt", keyArn, viaDynamo);

export function control(...statements: object[]) {
  const trace: TraceEntry[] = [];
  const needed: UsedGrant[] = [];
  const access = new AccessControl(
    readRules(assemblyWith(...statements)),
    { record: (entry) => trace.push(entry) },
    (grant) => needed.push(grant),
  );
  const call = (target: string, body: object = {}, more: Partial<ServiceCall> = {}) =>
    access.check(toAccessKey("cards"), { method: "POST", path: "/", target, body: { ...body }, ...more });
  return { access, call, trace, needed };
}

export const dynamo = (operation: string) => `DynamoDB_20120810.${operation}`;
