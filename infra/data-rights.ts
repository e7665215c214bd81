import { Stack } from "aws-cdk-lib";
import { type IGrantable, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Secret } from "aws-cdk-lib/aws-secretsmanager";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import type { DataTable } from "./data-table.ts";

const readActions = ["GetItem", "BatchGetItem", "Query"];
const writeActions = ["PutItem", "UpdateItem", "DeleteItem", "ConditionCheckItem"];
const readKeyActions = ["kms:Decrypt", "kms:DescribeKey"];
/** What `grantEncryptDecrypt` gives by wildcards, spelled out. */
const writeKeyActions = [
  "kms:Encrypt",
  "kms:GenerateDataKey",
  "kms:GenerateDataKeyWithoutPlaintext",
  "kms:ReEncryptFrom",
  "kms:ReEncryptTo",
];

/** Lets a function read items of a table and query its indexes. No scans, nothing about the table itself. */
export function grantRead(table: DataTable, grantee: IGrantable) {
  grant(table, grantee, readActions, readKeyActions);
}

/** Lets a function read and write items, transactions included. */
export function grantReadWrite(table: DataTable, grantee: IGrantable) {
  grant(table, grantee, [...readActions, ...writeActions], [...readKeyActions, ...writeKeyActions]);
}

/** Lets a function add items to a table, and do nothing else there. */
export function grantPut(table: DataTable, grantee: IGrantable) {
  grant(table, grantee, ["PutItem"], [...readKeyActions, ...writeKeyActions]);
}

/** Lets a function write many items of a table at once, which are nobody's until another write tells of them. */
export function grantBatchWrite(table: DataTable, grantee: IGrantable) {
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({ actions: ["dynamodb:BatchWriteItem"], resources: [table.tableArn] }),
  );
}

/** Lets a function read a table's stream, and returns the stream's ARN. */
export function grantStreamRead(table: DataTable, grantee: IGrantable): string {
  const streamArn = table.tableStreamArn;
  if (streamArn === undefined) throw new Error(`${table.node.path} has no stream.`);
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions: ["DescribeStream", "GetRecords", "GetShardIterator", "ListStreams"].map(
        (action) => `dynamodb:${action}`,
      ),
      resources: [streamArn],
    }),
  );
  grantKey(table, "dynamodb", grantee, readKeyActions);
  return streamArn;
}

function grant(table: DataTable, grantee: IGrantable, actions: string[], keyActions: string[]) {
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions: actions.map((action) => `dynamodb:${action}`),
      resources: [table.tableArn],
    }),
  );
  const indexes = table.indexNames.map((name) => `${table.tableArn}/index/${name}`);
  if (actions.includes("Query") && indexes.length > 0) {
    grantee.grantPrincipal.addToPrincipalPolicy(
      new PolicyStatement({ actions: ["dynamodb:Query"], resources: indexes }),
    );
  }
  grantKey(table, "dynamodb", grantee, keyActions);
}

/** Lets a function send messages to a queue, which the queue's own key of SQS asks nothing more for. */
export function grantSend(queue: IQueue, grantee: IGrantable) {
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({ actions: ["sqs:SendMessage"], resources: [queue.queueArn] }),
  );
}

/** Lets a function read a secret's value. */
export function grantSecretRead(secret: Secret, grantee: IGrantable) {
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({ actions: ["secretsmanager:GetSecretValue"], resources: [secret.secretArn] }),
  );
  grantKey(secret, "secretsmanager", grantee, ["kms:Decrypt"]);
}

/**
 * The service uses the key in the caller's name; by itself, outside that service, the function cannot. Said in the
 * function's policy alone: the key's own would make the kept stack depend on the replaceable one.
 */
function grantKey(owner: DataTable | Secret, service: string, grantee: IGrantable, actions: string[]) {
  const { encryptionKey } = owner;
  if (encryptionKey === undefined) throw new Error(`${owner.node.path} has no customer key.`);
  grantee.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions,
      resources: [encryptionKey.keyArn],
      conditions: {
        StringEquals: { "kms:ViaService": `${service}.${Stack.of(owner).region}.amazonaws.com` },
      },
    }),
  );
}
