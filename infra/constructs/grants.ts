import { ArnFormat, Stack } from "aws-cdk-lib";
import { type IGrantable, PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Bucket } from "aws-cdk-lib/aws-s3";
import type { ISecret } from "aws-cdk-lib/aws-secretsmanager";
import type { IQueue } from "aws-cdk-lib/aws-sqs";
import { acknowledgeObjects } from "./acknowledge.ts";
import type { KeptTable } from "./data-table.ts";
import type { LongFileFolder } from "./long-files.ts";
import type { ServiceFunction } from "./service-function.ts";
import { partitionsOf, type TablePermission } from "./table-permissions.ts";

const recordsArnOutput = "PublishOutputFnGetAttRecords091F6ECAArn4DEC83D9";
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
  const limited = permissions.filter((one) => partitionsOf(one) !== undefined);
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
        "dynamodb:LeadingKeys": ofAction.flatMap((one) => partitionsOf(one) ?? []),
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
export function grantInvoke(scope: Stack, functionName: string, grantee: IGrantable) {
  const resource = scope.formatArn({
    service: "lambda",
    resource: "function",
    resourceName: functionName,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });
  allow(grantee, ["lambda:InvokeFunction"], [resource]);
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

/** Files, their progress and reports. Without the right to list, S3 hides what does not exist. */
export function grantFiles(bucket: Bucket, grantee: IGrantable) {
  const under = (...keys: string[]) => keys.map((one) => bucket.arnForObjects(one));
  allow(grantee, ["s3:GetObject"], under("in/*", "progress/*", "reports/*"));
  allow(grantee, ["s3:DeleteObject"], under("in/*", "progress/*"));
  allow(grantee, ["s3:PutObject"], under("progress/*", "reports/*"));
  allow(grantee, ["s3:ListBucket"], [bucket.bucketArn]);
  grantKey(bucket, "s3", grantee, ["kms:Decrypt", "kms:GenerateDataKey"]);
}

/** The check of uploads, which alone writes what is accepted, and nobody deletes that. */
export function grantUploads(bucket: Bucket, grantee: IGrantable) {
  const [uploads, accepted] = [bucket.arnForObjects("uploads/*"), bucket.arnForObjects("evidence/*")];
  allow(grantee, ["s3:GetObject", "s3:DeleteObject"], [uploads]);
  allow(grantee, ["s3:PutObject", "s3:PutObjectRetention"], [accepted]);
  allow(grantee, ["s3:ListBucket"], [bucket.bucketArn]);
  grantKey(bucket, "s3", grantee, ["kms:Decrypt", "kms:GenerateDataKey"]);
}

/** What its presigned URLs may do: put an upload, get what is accepted. */
export function grantEvidenceUrls(bucket: Bucket, grantee: IGrantable) {
  allow(grantee, ["s3:PutObject"], [bucket.arnForObjects("uploads/*")]);
  allow(grantee, ["s3:GetObject"], [bucket.arnForObjects("evidence/*")]);
  grantKey(bucket, "s3", grantee, ["kms:Decrypt", "kms:GenerateDataKey"]);
}

/** A presigned URL has the rights of the function that signs it: to read, or to write the file. */
export function grantLongFiles(
  bucket: Bucket,
  folders: readonly LongFileFolder[],
  grantee: IGrantable,
  access: "read" | "write",
) {
  const isWriter = access === "write";
  const under = folders.map((folder) => bucket.arnForObjects(`${folder}/*`));
  allow(grantee, isWriter ? ["s3:GetObject", "s3:PutObject"] : ["s3:GetObject"], under);
  grantKey(bucket, "s3", grantee, isWriter ? ["kms:Decrypt", "kms:GenerateDataKey"] : ["kms:Decrypt"]);
}

/** Closed months of the journal, for who reads it from the beginning. */
export function grantRecords(bucket: Bucket, grantee: ServiceFunction) {
  grantee.addEnvironment("RECORDS_BUCKET", bucket.bucketName);
  allow(grantee, ["s3:GetObject"], [bucket.arnForObjects("journal/*")]);
  grantKey(bucket, "s3", grantee, ["kms:Decrypt"]);
  acknowledgeObjects(bucket, recordsArnOutput, ["journal"], grantee);
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
