import { AccessControl, accessKeyOf, grantText } from "../../infra/local/access/access-control.ts";
import type { ServiceCall } from "../../infra/local/access/requested.ts";
import type { TraceEntry } from "../../infra/local/interfaces.ts";
import type { Assembly, Resource } from "../../infra/local/template.ts";

export const [region, account] = ["eu-west-1", "000000000000"];
export const tableArn = `arn:aws:dynamodb:${region}:${account}:table/issuing`;
export const keyArn = `arn:aws:kms:${region}:${account}:key/data`;
export const viaDynamo = { StringEquals: { "kms:ViaService": `dynamodb.${region}.amazonaws.com` } };

export function resource(type: string, physicalName: string, arn: string, properties: object = {}): Resource {
  return {
    stack: "s",
    logicalId: physicalName,
    type,
    physicalName,
    arn,
    properties: { ...properties },
  };
}

/** A function `cards` whose role has these statements, a table, a queue, a bus and a secret. */
export function assemblyWith(...statements: object[]): Assembly {
  const roleArn = `arn:aws:iam::${account}:role/cards-role`;
  const resources = [
    resource("AWS::Lambda::Function", "cards", `arn:aws:lambda:${region}:${account}:function:cards`, {
      Role: roleArn,
    }),
    resource("AWS::IAM::Role", "cards-role", roleArn),
    resource("AWS::IAM::Policy", "cards-policy", "", {
      Roles: ["cards-role"],
      PolicyDocument: { Version: "2012-10-17", Statement: statements },
    }),
    resource("AWS::DynamoDB::Table", "issuing", tableArn, {
      SSESpecification: { KMSMasterKeyId: keyArn },
    }),
    resource("AWS::SQS::Queue", "work", `arn:aws:sqs:${region}:${account}:work`),
    resource("AWS::Events::EventBus", "bus", `arn:aws:events:${region}:${account}:event-bus/bus`),
  ];
  return {
    region,
    account,
    resources,
    outputs: {},
    ofType: (type) => resources.filter((one) => one.type === type),
    byArn: (arn) => resources.find((one) => one.arn === arn),
    assetPath: () => "",
  };
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
  const needed: string[] = [];
  const access = new AccessControl(
    assemblyWith(...statements),
    { record: (entry) => trace.push(entry) },
    (grant) => needed.push(grantText(grant)),
  );
  const call = (target: string, body: object = {}, more: Partial<ServiceCall> = {}) =>
    access.check(accessKeyOf("cards"), { method: "POST", path: "/", target, body: { ...body }, ...more });
  return { access, call, trace, needed };
}

export const dynamo = (operation: string) => `DynamoDB_20120810.${operation}`;
