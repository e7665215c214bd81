import { Duration, RemovalPolicy, Stack, type StackProps, TimeZone } from "aws-cdk-lib";
import {
  BackupPlan,
  BackupPlanRule,
  BackupResource,
  BackupSelection,
  BackupVault,
} from "aws-cdk-lib/aws-backup";
import { Schedule } from "aws-cdk-lib/aws-events";
import {
  AccountPrincipal,
  ManagedPolicy,
  PolicyDocument,
  PolicyStatement,
  Role,
  ServicePrincipal,
} from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import { keptRecordDays } from "../../shared/contract/records.ts";
import { acknowledge } from "../constructs/acknowledge.ts";
import type { FunctionData } from "../constructs/function-factory.ts";
import { KeptKey } from "../constructs/kept-key.ts";
import type { Settings } from "../environments.ts";
import type { VaultStack } from "./vault-stack.ts";

/** So long a copy of each day stays in the other account. */
const keptDailyDays = 35;
/** What is here only waits to be copied. A bucket's next backup adds to one of this week. */
const keptHereDays = 7;
/** AWS bills 90 days of the cheaper storage at least. */
const coldAfter = Duration.days(90);

interface BackupStackProps extends StackProps {
  readonly settings: Settings;
  readonly secondCopy: NonNullable<Settings["secondCopy"]>;
  readonly data: FunctionData;
  readonly vault: VaultStack;
}

/**
 * The second copy of the books: what is backed up here each day is copied into a vault of another
 * account and region, which nobody of this account can delete from.
 */
export class BackupStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    { settings, secondCopy, data, vault, ...props }: BackupStackProps,
  ) {
    super(scope, id, props);
    const key = this.key(settings.name, secondCopy.account);
    const backups = new BackupVault(this, "Backups", {
      backupVaultName: `card-issuing-${settings.name}`,
      encryptionKey: key,
      blockRecoveryPointDeletion: true,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    });
    const backupPlan = this.plan(settings.name, backups, secondCopy);
    const role = this.role();
    const { evidence, records, accessLogs } = data.buckets;
    new BackupSelection(this, "Selection", {
      backupPlan,
      backupSelectionName: "books",
      role,
      disableDefaultBackupPolicy: true,
      resources: [
        ...[data.issuingTable, data.accountsTable, vault.table].map((table) =>
          BackupResource.fromArn(table.tableArn),
        ),
        ...[evidence, records, accessLogs].map((bucket) => BackupResource.fromArn(bucket.bucketArn)),
      ],
    });
  }

  private key(name: string, copyingAccount: string): KeptKey {
    const key = new KeptKey(this, "BackupKey", {
      description: `Encrypts backups on their way to the second copy (card issuing platform, ${name}).`,
      enableKeyRotation: true,
      rotationPeriod: Duration.days(365),
    });
    // AWS Backup of the other account reads what it copies.
    allowBackup(key, copyingAccount, "ToTheOtherAccount", ["kms:Decrypt", "kms:DescribeKey"]);
    return key;
  }

  private plan(name: string, backupVault: BackupVault, secondCopy: NonNullable<Settings["secondCopy"]>) {
    const destinationBackupVault = BackupVault.fromBackupVaultArn(this, "SecondCopy", vaultArn(secondCopy));
    const plan = new BackupPlan(this, "Plan", {
      backupPlanName: `card-issuing-${name}`,
      backupVault,
    });
    const common = {
      scheduleExpressionTimezone: TimeZone.ETC_UTC,
      startWindow: Duration.hours(1),
      completionWindow: Duration.hours(12),
      deleteAfter: Duration.days(keptHereDays),
    };
    const daily = { scheduleExpression: Schedule.cron({ hour: "2", minute: "0" }) };
    const monthly = { scheduleExpression: Schedule.cron({ day: "1", hour: "5", minute: "0" }) };
    const copied = { destinationBackupVault, deleteAfter: Duration.days(keptDailyDays) };
    const kept = { destinationBackupVault, deleteAfter: Duration.days(keptRecordDays) };
    for (const rule of [
      { ruleName: "daily", ...daily, copyActions: [copied] },
      { ruleName: "monthly", ...monthly, copyActions: [{ ...kept, moveToColdStorageAfter: coldAfter }] },
    ])
      plan.addRule(new BackupPlanRule({ ...common, ...rule }));
    return plan;
  }

  private role(): Role {
    const policies = [
      "service-role/AWSBackupServiceRolePolicyForBackup",
      "AWSBackupServiceRolePolicyForS3Backup",
    ];
    const role = new Role(this, "BackupRole", {
      assumedBy: new ServicePrincipal("backup.amazonaws.com"),
      description: "Backs up tables and buckets, and copies the backups.",
      managedPolicies: policies.map((one) => ManagedPolicy.fromAwsManagedPolicyName(one)),
    });
    const findings = policies.map(
      (one) => `AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/${one}]`,
    );
    const reason = "AWS keeps this policy in step with what its service needs.";
    acknowledge(role, Object.fromEntries(findings.map((one) => [one, reason])));
    return role;
  }
}

/** Lets AWS Backup of another account use a key. The name completes the statements' own. */
function allowBackup(key: Key, account: string, name: string, actions: string[]) {
  const common = { principals: [new AccountPrincipal(account)], resources: ["*"] };
  const throughBackup = { StringLike: { "kms:ViaService": "backup.*.amazonaws.com" } };
  const grants = { actions: ["kms:CreateGrant"], sid: `Grants${name}` };
  const toServices = { Bool: { "kms:GrantIsForAWSResource": "true" } };
  key.addToResourcePolicy(
    new PolicyStatement({ ...common, sid: `Copies${name}`, actions, conditions: throughBackup }),
  );
  key.addToResourcePolicy(new PolicyStatement({ ...common, ...grants, conditions: toServices }));
}

export function vaultArn({ account, region, vaultName }: NonNullable<Settings["secondCopy"]>): string {
  return `arn:aws:backup:${region}:${account}:backup-vault:${vaultName}`;
}

interface SecondCopyStackProps extends StackProps {
  readonly settings: Pick<Settings, "name" | "account">;
  readonly vaultName: string;
}

/** The first days of a lock, in which it can be taken back. AWS asks for three at least. */
const changeableFor = Duration.days(3);

/**
 * In an account of its own, whose people do not run the platform: a vault that takes copies and,
 * once its lock is final, gives none up before its time, not even to that account's root user.
 */
export class SecondCopyStack extends Stack {
  constructor(scope: Construct, id: string, { settings, vaultName, ...props }: SecondCopyStackProps) {
    super(scope, id, props);
    const { name, account } = settings;
    const removalPolicy = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;
    const encryptionKey = new Key(this, "SecondCopyKey", {
      description: `Encrypts the second copy of ${name} (card issuing platform).`,
      enableKeyRotation: true,
      rotationPeriod: Duration.days(365),
      removalPolicy,
    });
    // A copy that comes back is read by AWS Backup of the environment's account.
    const actions = [
      "kms:Decrypt",
      "kms:DescribeKey",
      "kms:Encrypt",
      "kms:GenerateDataKey",
      "kms:ReEncryptTo",
    ];
    allowBackup(encryptionKey, account, "ForTheEnvironment", actions);
    const copies = new BackupVault(this, "Copies", {
      backupVaultName: vaultName,
      encryptionKey,
      removalPolicy,
      lockConfiguration: {
        minRetention: Duration.days(keptDailyDays),
        maxRetention: Duration.days(keptRecordDays),
        changeableFor,
      },
      accessPolicy: new PolicyDocument({
        statements: [
          new PolicyStatement({
            principals: [new AccountPrincipal(account)],
            actions: ["backup:CopyIntoBackupVault"],
            resources: ["*"],
          }),
        ],
      }),
    });
    copies.node.addDependency(encryptionKey);
  }
}
