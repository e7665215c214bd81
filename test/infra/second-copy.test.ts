import { readFileSync } from "node:fs";
import { Template } from "aws-cdk-lib/assertions";
import { describe, expect, test } from "vitest";
import { createSecondCopyApp } from "../../infra/app.ts";
import { environmentNames, readSettings } from "../../infra/environments.ts";
import { compilePattern } from "../../infra/local/events/event-pattern.ts";
import { vaultArn } from "../../infra/stacks/backup-stack.ts";
import { type Resource, resolved, resource, resourcesOf, synthesized } from "./synthesized.ts";

const { data: ofData, vault, backup } = synthesized("production");
const { account, secondCopy } = readSettings("production");
if (!backup || !secondCopy) throw new Error("Production has no second copy.");
const app = createSecondCopyApp({ checked: false });
const other = Template.fromStack(app.node.findChild("production") as never);
const seven = 2_557;

describe("the second copy of production", () => {
  test("is taken of every day and kept for 35, and of every month and kept for seven years, in another account and region", () => {
    const [, { Properties }] = resource(backup, "AWS::Backup::BackupPlan", "Plan");
    const rules = Properties.BackupPlan.BackupPlanRule as Resource["Properties"][];
    expect(rules.map((rule) => [rule.RuleName, rule.ScheduleExpression, rule.Lifecycle])).toEqual([
      ["daily", "cron(0 2 * * ? *)", { DeleteAfterDays: 7 }],
      ["monthly", "cron(0 5 1 * ? *)", { DeleteAfterDays: 7 }],
    ]);
    const DestinationBackupVaultArn = vaultArn(secondCopy);
    expect(rules.map(({ CopyActions }) => CopyActions)).toEqual([
      [{ DestinationBackupVaultArn, Lifecycle: { DeleteAfterDays: 35 } }],
      [
        {
          DestinationBackupVaultArn,
          Lifecycle: { DeleteAfterDays: seven, MoveToColdStorageAfterDays: 90 },
        },
      ],
    ]);
    expect(DestinationBackupVaultArn).toContain(`:${secondCopy.region}:${secondCopy.account}:`);
  });

  test("has every table, and every bucket that keeps what is locked or logged", () => {
    const [, { Properties }] = resource(backup, "AWS::Backup::BackupSelection", "Selection");
    const resources = JSON.stringify(Properties.BackupSelection.Resources);
    const tables = [ofData, vault].flatMap((template) => resourcesOf(template, "AWS::DynamoDB::GlobalTable"));
    const buckets = resourcesOf(ofData, "AWS::S3::Bucket").filter(
      // AWS Backup takes no bucket without versions. What is fed is gone once it is processed.
      ([id]) => !/^(Files|Truststore1)/.test(id),
    );
    const ids = [...tables, ...buckets].map(([id]) => id);
    expect(ids).toHaveLength(6);
    for (const id of ids) expect(resources, id).toContain(id);
    expect(Properties.BackupSelection.Resources).toHaveLength(ids.length);
    for (const [id, { Properties: bucket }] of buckets)
      expect(bucket.VersioningConfiguration, id).toEqual({ Status: "Enabled" });
  });

  test("is encrypted on its way with a key of its own, which the other account may only use to copy", () => {
    const [id, key] = resource(backup, "AWS::KMS::Key", "BackupKey");
    const [, { Properties }] = resource(backup, "AWS::Backup::BackupVault", "Backups");
    expect(Properties.EncryptionKeyArn).toEqual({ "Fn::GetAtt": [id, "Arn"] });
    const statements = (key.Properties.KeyPolicy.Statement as Resource["Properties"][]).filter(
      ({ Principal }) => JSON.stringify(Principal).includes(secondCopy.account),
    );
    expect(statements.map(({ Action, Condition }) => [Action, Condition])).toEqual([
      [["kms:Decrypt", "kms:DescribeKey"], { StringLike: { "kms:ViaService": "backup.*.amazonaws.com" } }],
      ["kms:CreateGrant", { Bool: { "kms:GrantIsForAWSResource": "true" } }],
    ]);
  });

  test("goes into a vault that takes copies from the environment alone, and whose lock is final after three days", () => {
    const [, copies] = resource(other, "AWS::Backup::BackupVault", "Copies");
    expect(copies.Properties).toMatchObject({
      BackupVaultName: secondCopy.vaultName,
      LockConfiguration: { MinRetentionDays: 35, MaxRetentionDays: seven, ChangeableForDays: 3 },
    });
    const [statement, ...more] = copies.Properties.AccessPolicy.Statement;
    expect(more).toEqual([]);
    expect(statement).toMatchObject({ Action: "backup:CopyIntoBackupVault", Effect: "Allow" });
    expect(JSON.stringify(statement.Principal)).toContain(account);
    expect(copies.DeletionPolicy).toBe("RetainExceptOnCreate");
    // A role would need the boundary that roles of other stacks have.
    const types = Object.values<Resource>(other.toJSON().Resources).map(({ Type }) => Type);
    expect(types.toSorted()).toEqual(["AWS::Backup::BackupVault", "AWS::KMS::Key"]);
  });
});

describe("a failed copy", () => {
  const { operations } = synthesized("production");
  const [, rule] = resource(operations, "AWS::Events::Rule", "SecondCopyFailed");
  const matches = compilePattern(rule.Properties.EventPattern);
  const vaultOfBackups = "arn:aws:backup:eu-west-1:444455556666:backup-vault:card-issuing-production";
  const resourceArn = "arn:aws:dynamodb:eu-west-1:444455556666:table/issuing";
  const backupOf = (state: string, more: object = {}) => ({
    ...{ source: "aws.backup", "detail-type": "Backup Job State Change" },
    detail: { backupJobId: "34176239", backupVaultArn: vaultOfBackups, resourceArn, state, ...more },
  });
  const copyOf = (state: string, more: object = {}) => ({
    ...{ source: "aws.backup", "detail-type": "Copy Job State Change" },
    detail: { copyJobId: "47C8EF56", sourceBackupVaultArn: vaultOfBackups, resourceArn, state, ...more },
  });

  test.each([
    backupOf("FAILED", { statusMessage: "Access denied" }),
    backupOf("EXPIRED", { statusMessage: "there was a running job" }),
    backupOf("ABORTED"),
    backupOf("COMPLETED", { statusMessage: "1 of 9 objects could not be backed up" }),
    copyOf("FAILED", { statusMessage: "Access denied" }),
    copyOf("PARTIAL"),
  ])("pages: $detail-type $detail.state", (event) => {
    expect(matches(event)).toBe(true);
  });

  test.each([
    backupOf("CREATED"),
    backupOf("PENDING", { statusMessage: "" }),
    backupOf("RUNNING"),
    backupOf("COMPLETED"),
    backupOf("COMPLETED", { statusMessage: "" }),
    copyOf("CREATED"),
    copyOf("RUNNING"),
    copyOf("COMPLETED", { statusMessage: "Copied" }),
    { ...copyOf("FAILED"), "detail-type": "Restore Job State Change" },
  ])("does not page: $detail-type $detail.state", (event) => {
    expect(matches(event)).toBe(false);
  });

  test("goes to the pages' topic, with the job and its section of the runbook", () => {
    const [topic] = resource(synthesized("production"), "AWS::SNS::Topic", "AlarmTopic");
    const [target, ...more] = resolved(
      synthesized("production"),
      rule.Properties.Targets,
    ) as Resource["Properties"][];
    expect(more).toEqual([]);
    expect(target).toMatchObject({
      Arn: { Ref: topic },
      InputTransformer: { InputPathsMap: { detail: "$.detail" } },
    });
    const [, anchor] = /docs\/runbook-account\.md#([\w-]+)/.exec(target.InputTransformer.InputTemplate) ?? [];
    expect(anchor).toBe("copies-that-fail");
    expect(readFileSync("docs/runbook-account.md", "utf8")).toContain("\n## Copies that fail\n");
  });
});

test("an environment without the setting has no plan, and no vault for it", () => {
  for (const name of environmentNames.filter((one) => readSettings(one).secondCopy === undefined)) {
    expect(synthesized(name).backup).toBeUndefined();
    expect(app.node.tryFindChild(name)).toBeUndefined();
    expect(JSON.stringify(synthesized(name).operations.toJSON())).not.toContain("SecondCopy");
  }
});

describe.each(environmentNames)("Object Lock of %s", (name) => {
  const { data, messaging } = synthesized(name);

  test("what must not change is locked: evidence file by file, closed months for seven years; uploads and logs are not", () => {
    const Mode = name === "production" ? "COMPLIANCE" : "GOVERNANCE";
    const locks = resourcesOf(data, "AWS::S3::Bucket").map(([id, { Properties }]) => [
      id,
      [Properties.ObjectLockEnabled, Properties.ObjectLockConfiguration?.Rule?.DefaultRetention],
    ]);
    const seven = { Mode, Days: 2_557 };
    expect(Object.fromEntries(locks)).toEqual({
      Evidence4CC26D68: [true, undefined],
      Files8E6940B8: [undefined, undefined],
      Records091F6ECA: [true, seven],
      Truststore1C006261: [undefined, undefined],
      // S3 delivers access logs to no bucket with Object Lock: the second copy locks them.
      TruststoreAccessLogs67B54495: [undefined, undefined],
    });
    const [, checker] = resource(messaging, "AWS::Lambda::Function", "EvidenceFunction");
    expect(checker.Properties.Environment.Variables.EVIDENCE_LOCK).toBe(Mode);
  });
});
