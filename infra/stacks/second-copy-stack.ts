import { Duration, RemovalPolicy, Stack, type StackProps } from "aws-cdk-lib";
import { BackupVault } from "aws-cdk-lib/aws-backup";
import { AccountPrincipal, PolicyDocument, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import { keptRecordDays } from "../../shared/contract/records.ts";
import type { Settings } from "../environments.ts";
import { allowBackup, keptDailyDays } from "./backup-stack.ts";

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
