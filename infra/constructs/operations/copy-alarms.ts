import { Duration } from "aws-cdk-lib";
import { EventField, Rule, RuleTargetInput } from "aws-cdk-lib/aws-events";
import { SnsTopic } from "aws-cdk-lib/aws-events-targets";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import type { Construct } from "constructs";
import { type Alarms, accountPage, awsMetric, eachPeriod } from "./alarms.ts";

const runbook = `${accountPage}#copies-that-fail`;
/** The daily copy begins within its hour, and may take an hour longer than the day before. */
const longestHours = 26;

/** Pages for a backup or copy that fails, whole or in part. The account has no others. */
export function addFailedCopies(scope: Construct, topic: ITopic) {
  const alarm = "SecondCopyFailed";
  const impact = "A backup of tables or buckets, or its copy into the other account, has failed.";
  new Rule(scope, alarm, {
    description: impact,
    eventPattern: {
      source: ["aws.backup"],
      detailType: ["Backup Job State Change", "Copy Job State Change"],
      detail: {
        $or: [
          { state: ["ABORTED", "EXPIRED", "FAILED", "PARTIAL"] },
          // "Completed with issues" in the console: without some of a bucket's objects.
          {
            state: ["COMPLETED"],
            statusMessage: [{ "anything-but": [""] }],
            backupJobId: [{ exists: true }],
          },
        ],
      },
    },
    targets: [
      new SnsTopic(topic, {
        message: RuleTargetInput.fromObject({
          alarm,
          impact: `${impact} What to do: docs/${runbook}`,
          job: EventField.fromPath("$.detail"),
        }),
      }),
    ],
  });
}

/** AWS Backup counts a copy for the vault that it goes to, and reports no zeros. */
export function addSilentCopies(alarms: Alarms, vaultName: string) {
  alarms.add("SecondCopySilent", {
    metric: awsMetric(
      "AWS/Backup",
      "NumberOfCopyJobsCompleted",
      { BackupVaultName: vaultName },
      { ...eachPeriod, period: Duration.hours(1) },
    ),
    severity: "page",
    below: 1,
    ifMissing: "breaching",
    periods: longestHours,
    runbook,
    impact: `No copy of tables and buckets has reached the other account for ${longestHours} hours.`,
  });
}
