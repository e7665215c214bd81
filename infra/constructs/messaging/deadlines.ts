import { Duration } from "aws-cdk-lib";
import { ComparisonOperator, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction as LambdaTarget } from "aws-cdk-lib/aws-events-targets";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { FilterPattern, MetricFilter } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { metricNamespace } from "../../../shared/contract/metrics.ts";
import type { Settings } from "../../environments.ts";
import { type Alarms, alarmPeriod } from "../operations/alarms.ts";
import { ownMetric } from "../operations/graph.ts";
import { writesHere } from "../second-region-settings.ts";

const impact = "Deadlines are not met: deposits do not clear, holds do not expire, Tenants get no reminders.";

/** The sweep runs every minute, so nothing should wait longer. */
const urgentLimit = Duration.minutes(2);
const limit = Duration.minutes(15);

export interface DeadlinesProps {
  readonly settings: Settings;
  readonly sweeper: LambdaFunction;
  readonly alarms: Alarms;
}

/** Sweeps due deadlines every minute. The next sweep finds what a failed one missed. */
export class Deadlines extends Construct {
  constructor(scope: Construct, id: string, props: DeadlinesProps) {
    super(scope, id);
    props.sweeper.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: Duration.minutes(1) });
    new Rule(this, "EveryMinute", {
      description: "Sweeps the due deadlines every minute.",
      schedule: Schedule.rate(Duration.minutes(1)),
      ...(!writesHere(props.settings) && { enabled: false }),
      targets: [new LambdaTarget(props.sweeper, { retryAttempts: 0, maxEventAge: Duration.minutes(1) })],
    });
    props.alarms.add("DeadlinesSilent", {
      metric: props.sweeper.metricInvocations({ period: alarmPeriod }),
      severity: "page",
      threshold: 1,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.BREACHING,
      runbook: "deadlines-that-do-not-run",
      impact: `No sweep has run for five minutes. ${impact}`,
    });
    props.alarms.add("DeadlinesFailing", {
      metric: props.sweeper.metricErrors({ period: alarmPeriod }),
      severity: "page",
      threshold: 2,
      runbook: "deadlines-that-do-not-run",
      impact: `Several sweeps have failed. ${impact}`,
    });
    this.addStuckAlarm(props);
    this.addLateAlarms(props);
  }

  /** A deadline that always fails is retried forever, eventually once an hour. */
  private addStuckAlarm({ sweeper, alarms }: DeadlinesProps) {
    const filter = new MetricFilter(this, "Stuck", {
      logGroup: sweeper.logGroup,
      metricNamespace,
      metricName: "DeadlinesStuck",
      filterPattern: FilterPattern.all(
        FilterPattern.stringValue("$.message", "=", "The deadline failed."),
        FilterPattern.numberValue("$.failures", ">=", 3),
      ),
    });
    alarms.add("DeadlinesStuck", {
      metric: filter.metric({ period: alarmPeriod, statistic: "Sum" }),
      severity: "ticket",
      threshold: 0,
      runbook: "deadlines-that-do-not-run",
      impact: `A deadline has failed four times. The function's log has its id and the reason. ${impact}`,
    });
  }

  private addLateAlarms({ settings, alarms }: DeadlinesProps) {
    alarms.add("UrgentDeadlinesLate", {
      metric: ownMetric(settings.name, "OldestUrgentDeadlineSeconds", "Maximum"),
      severity: "page",
      threshold: urgentLimit.toSeconds(),
      periods: 2,
      runbook: "deadlines-that-are-late",
      impact:
        "Holds expire or deposits clear more than two minutes late: cardholders cannot use their money.",
    });
    alarms.add("DeadlinesLate", {
      metric: ownMetric(settings.name, "OldestDueDeadlineSeconds", "Maximum"),
      severity: "ticket",
      threshold: limit.toSeconds(),
      periods: 2,
      runbook: "deadlines-that-are-late",
      impact: "A deadline is more than 15 minutes late: fees, callback retries or reminders.",
    });
  }
}
