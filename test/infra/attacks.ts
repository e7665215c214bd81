import type { Assembly } from "../../infra/local/template.ts";

/** A call of AWS's API, by its service, with its parameters as CloudTrail records them. */
export type Call = readonly [service: string, name: string, parameters?: object | null, more?: object];

/** Calls that the watch pages for, by its rules, and what they are about. */
export function attacksOn(assembly: Assembly) {
  const { account } = assembly;
  const [key] = assembly.ofType("AWS::KMS::Key");
  const [pepper] = assembly.ofType("AWS::SecretsManager::Secret");
  const table = { tableName: assembly.ofType("AWS::DynamoDB::Table")[0]?.physicalName };
  const pitr = (pointInTimeRecoveryEnabled: boolean) => ({
    ...table,
    pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled },
  });
  const keyId = { keyId: key?.physicalName };
  const secretId = { secretId: pepper?.arn };
  const vault = { functionName: "card-issuing-local-vault" };
  const stackName = {
    stackName: `arn:aws:cloudformation:eu-west-1:${account}:stack/card-issuing-local-vault/1`,
  };
  const bucketName = { bucketName: assembly.ofType("AWS::S3::Bucket")[0]?.physicalName };

  const attacks: Readonly<Record<string, readonly Call[]>> = {
    KeysLost: [
      ["kms", "ScheduleKeyDeletion", { ...keyId, pendingWindowInDays: 7 }],
      ["kms", "DisableKey", keyId],
      ["kms", "PutKeyPolicy", { ...keyId, policyName: "default", policy: "{}" }],
      ["kms", "DeleteImportedKeyMaterial", keyId],
    ],
    KeysGranted: [
      ["kms", "CreateGrant", { ...keyId, granteePrincipal: `arn:aws:iam::${account}:user/mallory` }],
      ["kms", "RevokeGrant", keyId],
    ],
    TablesLost: [
      ["dynamodb", "DeleteTable", table],
      ["dynamodb", "DeleteBackup", { backupArn: "arn:aws:dynamodb:eu-west-1:1:table/t/backup/01" }],
      ["dynamodb", "UpdateContinuousBackups", pitr(false)],
      ["dynamodb", "UpdateTable", { ...table, deletionProtectionEnabled: false }],
      ["dynamodb", "PutResourcePolicy", { resourceArn: "arn:aws:dynamodb:eu-west-1:1:table/t" }],
      ["dynamodb", "ExportTableToPointInTime", { s3Bucket: "elsewhere" }],
      ["dynamodb", "UpdateTimeToLive", { ...table, timeToLiveSpecification: { enabled: true } }],
    ],
    BackupsLost: [
      ["backup", "DeleteRecoveryPoint", { backupVaultName: "books" }],
      ["backup", "DeleteBackupVaultLockConfiguration", { backupVaultName: "books" }],
      ["backup", "PutBackupVaultAccessPolicy", { backupVaultName: "books" }],
    ],
    SecretRead: [
      ["secretsmanager", "GetSecretValue", secretId],
      ["secretsmanager", "PutResourcePolicy", secretId],
      ["secretsmanager", "DeleteSecret", secretId],
      ["secretsmanager", "PutSecretValue", secretId],
      ["secretsmanager", "UpdateSecretVersionStage", secretId],
    ],
    CodeChanged: [
      ["lambda", "UpdateFunctionCode20150331v2", vault],
      [
        "lambda",
        "UpdateFunctionConfiguration20150331v2",
        { functionName: `arn:x:function:${vault.functionName}` },
      ],
      ["lambda", "AddPermission20150331v2", vault],
      ["lambda", "CreateFunctionUrlConfig", vault],
      ["lambda", "DeleteFunction20150331", vault],
      ["lambda", "DeleteFunctionConcurrency20171031", vault],
      ["lambda", "PutFunctionEventInvokeConfig", vault],
      [
        "lambda",
        "CreateFunction20150331",
        { functionName: "mine", role: `arn:aws:iam::${account}:role/card-issuing-local-vault` },
      ],
    ],
    StacksChanged: [
      ["cloudformation", "UpdateStack", stackName],
      ["cloudformation", "ExecuteChangeSet", { stackName: "card-issuing-local-data" }],
      ["cloudformation", "DeleteStack", stackName],
      ["cloudformation", "UpdateTerminationProtection", { ...stackName, enableTerminationProtection: false }],
    ],
    BucketsOpened: [
      ["s3", "PutBucketPolicy", bucketName],
      ["s3", "PutBucketVersioning", bucketName],
      ["s3", "DeleteBucketPublicAccessBlock", bucketName],
    ],
    WatchSilenced: [
      ["cloudtrail", "StopLogging", { name: "management" }],
      ["events", "DisableRule", { name: "card-issuing-local-operations-WatchKeysLost" }],
      ["sns", "Unsubscribe", { subscriptionArn: "arn:aws:sns:eu-west-1:1:pages:1" }],
      ["monitoring", "DeleteAlarms", { alarmNames: ["card-issuing-local-DeadlinesSilent"] }],
    ],
  };
  return { attacks, keyId, secretId, table, pitr, vault, stackName, bucketName };
}
