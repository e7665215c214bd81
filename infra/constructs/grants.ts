import { Stack } from "aws-cdk-lib";
import { type IGrantable, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import type { ISecret } from "aws-cdk-lib/aws-secretsmanager";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import { acknowledgeObjects } from "./acknowledge.ts";
import { functionArn } from "./arns.ts";
import type { KeptTable } from "./data-table.ts";
import type { ObjectRight } from "./object-permissions.ts";
import type { ServiceFunction } from "./service-function.ts";
import { type TablePermission, toPartitions } from "./table-permissions.ts";

const readKeyActions = ["kms:Decrypt", "kms:DescribeKey"];
/** The actions of `grantEncryptDecrypt`, without wildcards. */
const writeKeyActions = [
  "kms:Encrypt",
  "kms:GenerateDataKey",
  "kms:GenerateDataKeyWithoutPlaintext",
  "kms:ReEncryptFrom",
  "kms:ReEncryptTo",
];

/** Never grants scans or changes of the table. */
export function grantItems(table: KeptTable, grantee: IGrantable, permissions: readonly TablePermission[]) {
  const limited = permissions.filter((one) => toPartitions(one) !== undefined);
  const others = permissions.filter((one) => !limited.includes(one));
  const indexes = others.flatMap((one) => one.split(" ")[1] ?? []);
  const unknown = indexes.find((index) => !table.indexNames.includes(index));
  if (unknown !== undefined) throw new Error(`${table.node.path} has no index ${unknown}.`);
  allow(
    grantee,
    others.filter((one) => !one.includes(" ")).map((action) => `dynamodb:${action}`),
    [table.tableArn],
  );
  allow(
    grantee,
    ["dynamodb:Query"],
    indexes.map((index) => `${table.tableArn}/index/${index}`),
  );
  for (const [action = "", ofAction = []] of Object.entries(
    Object.groupBy(limited, (one) => one.split(" ")[0] ?? ""),
  ))
    allow(grantee, [`dynamodb:${action}`], [table.tableArn], {
      "ForAllValues:StringLike": {
        "dynamodb:LeadingKeys": ofAction.flatMap((one) => toPartitions(one) ?? []),
      },
    });
  const writes = permissions.some((action) => /^(Put|Update|Delete|BatchWrite)/.test(action));
  grantKey(table, "dynamodb", grantee, writes ? [...readKeyActions, ...writeKeyActions] : readKeyActions);
}

/** Returns the stream's ARN. */
export function grantStreamRead(table: KeptTable, grantee: IGrantable): string {
  const streamArn = table.tableStreamArn;
  if (streamArn === undefined) throw new Error(`${table.node.path} has no stream.`);
  allow(
    grantee,
    ["DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"].map((action) => `dynamodb:${action}`),
    [streamArn],
  );
  grantKey(table, "dynamodb", grantee, readKeyActions);
  return streamArn;
}

/** The function answers while its caller waits. It is found by its name, which never changes. */
export function grantInvoke(functionName: string, grantee: ServiceFunction) {
  allow(grantee, ["lambda:InvokeFunction"], [functionArn(grantee, functionName)]);
}

export function grantSend(queue: IQueue, grantee: IGrantable) {
  allow(grantee, ["sqs:SendMessage"], [queue.queueArn]);
}

/** Lets the functions send to the queue, whose URL they find in this variable. */
export function grantQueue(queue: IQueue, variable: string, ...grantees: ServiceFunction[]) {
  for (const each of grantees) grantSend(queue, each.addEnvironment(variable, queue.queueUrl));
}

export function grantConsume(queue: IQueue, grantee: IGrantable) {
  allow(grantee, ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"], [queue.queueArn]);
}

export function grantSecretRead(secret: ISecret, grantee: IGrantable) {
  allow(grantee, ["secretsmanager:GetSecretValue"], [secret.secretArn]);
  grantKey(secret, "secretsmanager", grantee, ["kms:Decrypt"]);
}

export function grantObjects(bucket: Bucket, grantee: ServiceFunction, rights: readonly ObjectRight[]) {
  for (const [actions, folders] of rights)
    allow(
      grantee,
      actions.map((action) => `s3:${action}`),
      folders.length > 0 ? folders.map((folder) => bucket.arnForObjects(`${folder}/*`)) : [bucket.bucketArn],
    );
  const all = rights.flatMap(([actions]) => actions);
  grantKey(bucket, "s3", grantee, [
    ...(all.includes("GetObject") ? ["kms:Decrypt"] : []),
    ...(all.includes("PutObject") ? ["kms:GenerateDataKey"] : []),
  ]);
  const folders = new Set(rights.flatMap(([, ofRight]) => ofRight));
  acknowledgeObjects(bucket, [...folders], grantee.role ?? grantee);
}

/**
 * Grants use of the key through one service, in the function's policy only: the key's own policy
 * would make the kept stack depend on a replaceable one.
 */
function grantKey(
  owner: KeptTable | ISecret | Bucket,
  service: string,
  grantee: IGrantable,
  actions: string[],
) {
  const { encryptionKey } = owner;
  if (encryptionKey === undefined) throw new Error(`${owner.node.path} has no customer key.`);
  const viaService = `${service}.${Stack.of(owner).region}.amazonaws.com`;
  allow(grantee, actions, [encryptionKey.keyArn], { StringEquals: { "kms:ViaService": viaService } });
}

function allow(
  grantee: IGrantable,
  actions: string[],
  resources: string[],
  conditions: Record<string, Record<string, string | string[]>> = {},
) {
  if (actions.length === 0 || resources.length === 0) return;
  grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions, resources, conditions }));
}
