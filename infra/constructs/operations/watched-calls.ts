import { accountPage } from "./alarms.ts";

interface WatchedCalls {
  /** Fields of CloudTrail's record of the call; also of one that was denied. */
  readonly detail: Readonly<Record<string, unknown>>;
  readonly impact: string;
  /** Whether some of the calls only read: EventBridge gives a rule those only if it asks. */
  readonly reads?: true;
}

export interface Watched {
  /** The names of functions, roles, stacks and buckets begin with it. */
  readonly prefix: string;
  readonly secretName: string;
  /** What may read the secret: sessions of roles, as `…:assumed-role/<role>/<function>`. */
  readonly readers: readonly string[];
  /** The role that deployments change stacks with. */
  readonly deployer: string;
}

/**
 * A denied call often names no resource, so a rule that asks for one of ours takes those too. An
 * account is one environment's: where a name can be given in many ways, the rules ask for none.
 */
const named = (wildcard: string) => [{ wildcard }, { exists: false }];

/**
 * AWS fills this in if a service makes the call for somebody, and nobody else can. Only single
 * services are left out: by others, such as Step Functions, anybody can make any call.
 */
const notBy = (...services: string[]) => ({
  userIdentity: { invokedBy: [{ exists: false }, { "anything-but": services }] },
});
const notByDeployment = notBy("cloudformation.amazonaws.com");

/** Page and anchor of what to do. */
export const runbook = `${accountPage}#attacks-on-keys-tables-and-code`;
const from = (service: string) => [`${service}.amazonaws.com`];
const prefixes = (...names: string[]) => names.map((prefix) => ({ prefix }));

const calls: Readonly<Record<string, WatchedCalls>> = {
  KeysLost: {
    detail: {
      eventSource: from("kms"),
      eventName: [
        "ScheduleKeyDeletion",
        "DisableKey",
        "DisableKeyRotation",
        "DeleteImportedKeyMaterial",
        "PutKeyPolicy",
        "UpdatePrimaryRegion",
      ],
    },
    impact:
      "Somebody deletes or disables a key, or changes its policy: all that it encrypts may be lost or read.",
  },
  KeysGranted: {
    detail: {
      eventSource: from("kms"),
      eventName: ["CreateGrant", "RevokeGrant"],
      // They take and return grants for what they encrypt, whenever a table or function is made.
      ...notBy("AWS Internal", ...["backup", "dynamodb", "lambda"].flatMap(from)),
    },
    impact: "Somebody gives others the use of a key, past its policy: they may read what it encrypts.",
  },
  TablesLost: {
    detail: {
      eventSource: from("dynamodb"),
      $or: [
        {
          eventName: [
            "DeleteTable",
            "PutResourcePolicy",
            "DeleteResourcePolicy",
            "ExportTableToPointInTime",
            "EnableKinesisStreamingDestination",
          ],
        },
        { eventName: ["DeleteBackup"], ...notBy(...from("backup")) },
        { eventName: ["UpdateTimeToLive"], ...notByDeployment },
        {
          eventName: ["UpdateContinuousBackups"],
          requestParameters: {
            pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: [false, { exists: false }] },
          },
        },
        { eventName: ["UpdateTable"], requestParameters: { deletionProtectionEnabled: [false] } },
        { eventName: ["UpdateTable"], errorCode: prefixes("AccessDenied") },
      ],
    },
    impact:
      "Somebody deletes or exports a table, its backups or its protection, or gives others access to it.",
  },
  BackupsLost: {
    detail: {
      eventSource: from("backup"),
      eventName: [
        ...prefixes("Delete", "Disassociate"),
        "PutBackupVaultAccessPolicy",
        "StopBackupJob",
        "UpdateBackupPlan",
        "UpdateRecoveryPointLifecycle",
      ],
    },
    impact: "Somebody deletes backups, or what makes and protects them.",
  },
};

const secrets = ({ secretName, readers }: Watched): Readonly<Record<string, WatchedCalls>> => ({
  SecretRead: {
    detail: {
      eventSource: from("secretsmanager"),
      requestParameters: { secretId: named(`*${secretName}*`) },
      $or: [
        {
          eventName: [
            ...prefixes("Put", "Update", "Delete", "RemoveRegions", "StopReplication"),
            "RotateSecret",
          ],
        },
        {
          eventName: ["GetSecretValue", "BatchGetSecretValue"],
          userIdentity: { arn: [{ exists: false }, { "anything-but": readers }] },
        },
      ],
    },
    impact: "Somebody other than the platform's functions reads the pepper of the API keys, or changes it.",
    reads: true,
  },
});

const code = ({ prefix }: Watched): Readonly<Record<string, WatchedCalls>> => ({
  CodeChanged: {
    detail: {
      eventSource: from("lambda"),
      ...notByDeployment,
      $or: [
        {
          eventName: [
            ...prefixes("UpdateFunction", "CreateFunctionUrl", "PutFunction"),
            ...prefixes("DeleteFunctionC", "DeleteFunctionE", "DeleteFunctionU"),
            ...prefixes(
              "AddPermission",
              "CreateEventSourceMapping",
              "UpdateCodeSigning",
              "DeleteCodeSigning",
            ),
          ],
          requestParameters: { functionName: named(`*${prefix}*`) },
        },
        // A deployment deletes an earlier version: that is no alarm.
        {
          eventName: prefixes("DeleteFunction2"),
          requestParameters: { functionName: named(`*${prefix}*`), qualifier: [{ exists: false }] },
        },
        // Another function with the role of one of ours.
        {
          eventName: prefixes("CreateFunction2"),
          requestParameters: { role: named(`*:role/${prefix}*`) },
        },
      ],
    },
    impact: "Somebody changes a function past the deployment: its code, settings, permissions or role.",
  },
});

const stacks = ({ prefix, deployer }: Watched): Readonly<Record<string, WatchedCalls>> => ({
  StacksChanged: {
    detail: {
      eventSource: from("cloudformation"),
      requestParameters: { stackName: named(`*${prefix}*`) },
      userIdentity: {
        sessionContext: { sessionIssuer: { arn: [{ exists: false }, { "anything-but": [deployer] }] } },
      },
      $or: [
        { eventName: ["UpdateStack", "ExecuteChangeSet", "DeleteStack", "SetStackPolicy"] },
        {
          eventName: ["UpdateTerminationProtection"],
          requestParameters: { enableTerminationProtection: [false, { exists: false }] },
        },
      ],
    },
    impact:
      "Somebody changes a stack, and so functions, keys or tables, with other rights than the deployment's.",
  },
  BucketsOpened: {
    detail: {
      eventSource: from("s3"),
      eventName: [
        ...prefixes("DeleteBucket", "PutBucketAcl", "PutBucketPolicy", "PutBucketPublicAccess"),
        ...prefixes(
          "PutBucketLifecycle",
          "PutBucketVersioning",
          "PutBucketReplication",
          "PutBucketObjectLock",
        ),
      ],
      requestParameters: { bucketName: named(`${prefix}*`) },
      ...notByDeployment,
    },
    impact: "Somebody opens a bucket, or takes away what keeps its objects.",
  },
});

const watch: Readonly<Record<string, WatchedCalls>> = {
  WatchSilenced: {
    detail: {
      ...notByDeployment,
      $or: [
        {
          eventSource: from("cloudtrail"),
          eventName: ["StopLogging", "DeleteTrail", "UpdateTrail", "PutEventSelectors"],
        },
        { eventSource: from("events"), eventName: ["DeleteRule", "DisableRule", "PutRule", "RemoveTargets"] },
        {
          eventSource: from("sns"),
          eventName: ["DeleteTopic", "RemovePermission", "SetTopicAttributes", "Unsubscribe"],
        },
        { eventSource: from("monitoring"), eventName: ["DeleteAlarms", "DisableAlarmActions"] },
      ],
    },
    impact: "Somebody switches off what would tell of an attack: the trail, a rule, a topic or an alarm.",
  },
};

/** What must wake somebody whoever does it, by the names of the rules. */
export function watchedCalls(watched: Watched): Readonly<Record<string, WatchedCalls>> {
  return { ...calls, ...secrets(watched), ...code(watched), ...stacks(watched), ...watch };
}
