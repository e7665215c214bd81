import { Stack } from "aws-cdk-lib";
import { type IGrantable, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import type { ISecret } from "aws-cdk-lib/aws-secretsmanager";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import { acknowledgeObjects } from "./acknowledge.ts";
import { functionArn } from "./arns.ts";
import type { KeptTable } from "./data-table.ts";
import type { LongFileFolder } from "./long-files.ts";
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

export function grantConsume(queue: IQueue, grantee: IGrantable) {
  allow(grantee, ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"], [queue.queueArn]);
}

export function grantSecretRead(secret: ISecret, grantee: IGrantable) {
  allow(grantee, ["secretsmanager:GetSecretValue"], [secret.secretArn]);
  grantKey(secret, "secretsmanager", grantee, ["kms:Decrypt"]);
}

/** Files, their progress and reports. */
export function grantFiles(bucket: Bucket, grantee: ServiceFunction) {
  grantObjects(bucket, grantee, [
    { actions: ["GetObject"], folders: ["in", "progress", "reports"] },
    { actions: ["DeleteObject"], folders: ["in", "progress"] },
    { actions: ["PutObject"], folders: ["progress", "reports"] },
  ]);
  grantList(bucket, grantee);
}

/** The check of uploads, which alone writes what is accepted, and nobody deletes that. */
export function grantUploads(bucket: Bucket, grantee: ServiceFunction) {
  grantObjects(bucket, grantee, [
    { actions: ["GetObject", "DeleteObject"], folders: ["uploads"] },
    { actions: ["PutObject", "PutObjectRetention"], folders: ["evidence"] },
  ]);
  grantList(bucket, grantee);
}

/** Without this right, S3 hides what does not exist. */
function grantList(bucket: Bucket, grantee: IGrantable) {
  allow(grantee, ["s3:ListBucket"], [bucket.bucketArn]);
}

/** What its presigned URLs may do: put an upload, get what is accepted. */
export function grantEvidenceUrls(bucket: Bucket, grantee: ServiceFunction) {
  grantObjects(bucket, grantee, [
    { actions: ["PutObject"], folders: ["uploads"] },
    { actions: ["GetObject"], folders: ["evidence"] },
  ]);
}

/** A presigned URL has the rights of the function that signs it: to read, or to write the file. */
export function grantLongFiles(
  bucket: Bucket,
  folders: readonly LongFileFolder[],
  grantee: ServiceFunction,
  access: "read" | "write",
) {
  const actions = access === "write" ? ["GetObject", "PutObject"] : ["GetObject"];
  grantee.addEnvironment("FILES_BUCKET", bucket.bucketName);
  grantObjects(bucket, grantee, [{ actions, folders }]);
}

/** Lines of bulks: who begins one writes them, who runs it reads and deletes them. */
export function grantBulkLines(bucket: Bucket, grantee: ServiceFunction, part: "begins" | "runs") {
  grantee.addEnvironment("FILES_BUCKET", bucket.bucketName);
  const action = part === "begins" ? "PutObject" : "GetObject";
  grantObjects(bucket, grantee, [{ actions: [action, "DeleteObject"], folders: ["bulk"] }]);
}

/** Files of payments for the bank: the sweep makes them, operator and sandbox show them too. */
export function grantPaymentFiles(bucket: Bucket, grantee: ServiceFunction, part: "makes" | "shows") {
  const actions = part === "makes" ? ["PutObject"] : ["GetObject", "PutObject"];
  grantee.addEnvironment("FILES_BUCKET", bucket.bucketName);
  grantObjects(bucket, grantee, [{ actions, folders: ["out/bank"] }]);
}

/** Closed months of the journal, for who reads it from the beginning. */
export function grantRecords(bucket: Bucket, grantee: ServiceFunction) {
  grantee.addEnvironment("RECORDS_BUCKET", bucket.bucketName);
  grantObjects(bucket, grantee, [{ actions: ["GetObject"], folders: ["journal"] }]);
}

interface ObjectRight {
  readonly actions: readonly string[];
  readonly folders: readonly string[];
}

function grantObjects(bucket: Bucket, grantee: ServiceFunction, rights: readonly ObjectRight[]) {
  for (const { actions, folders } of rights) {
    const resources = folders.map((folder) => bucket.arnForObjects(`${folder}/*`));
    allow(
      grantee,
      actions.map((action) => `s3:${action}`),
      resources,
    );
  }
  const mayDo = (action: string) => rights.some(({ actions }) => actions.includes(action));
  grantKey(bucket, "s3", grantee, [
    ...(mayDo("GetObject") ? ["kms:Decrypt"] : []),
    ...(mayDo("PutObject") ? ["kms:GenerateDataKey"] : []),
  ]);
  const folders = new Set(rights.flatMap((right) => right.folders));
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
