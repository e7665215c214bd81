import { Duration } from "aws-cdk-lib";
import { Rule, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction as LambdaTarget } from "aws-cdk-lib/aws-events-targets";
import { FilterPattern, MetricFilter } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { metricNamespace } from "../../../shared/contract/metrics.ts";
import type { FunctionFactory } from "../function-factory.ts";
import { alarmPeriod, eachPeriod, silence } from "../operations/alarms.ts";
import { ownMetric } from "../operations/graph.ts";
import { writesHere } from "../second-region-settings.ts";
import type { ServiceFunction } from "../service-function.ts";

const impact = "Deadlines are not met: deposits do not clear, holds do not expire, Tenants get no reminders.";

/** Sweeps due deadlines every minute. The next sweep finds what a failed one missed. */
export function addDeadlines({ stack, props }: FunctionFactory, sweeper: ServiceFunction) {
  const { settings, alarms } = props;
  const scope = new Construct(stack, "Deadlines");
  const once = { retryAttempts: 0, maxEventAge: Duration.minutes(1) };
  sweeper.configureAsyncInvoke(once);
  new Rule(scope, "EveryMinute", {
    description: "Sweeps the due deadlines every minute.",
    schedule: Schedule.rate(Duration.minutes(1)),
    ...(!writesHere(settings) && { enabled: false }),
    targets: [new LambdaTarget(sweeper, once)],
  });
  alarms.add("DeadlinesSilent", {
    metric: sweeper.metricInvocations({ period: alarmPeriod }),
    ...silence(alarmPeriod.toMinutes()),
    runbook: "deadlines-that-do-not-run",
    impact: `No sweep has run for five minutes. ${impact}`,
  });
  alarms.add("DeadlinesFailing", {
    metric: sweeper.metricErrors({ period: alarmPeriod }),
    severity: "page",
    above: 2,
    runbook: "deadlines-that-do-not-run",
    impact: `Several sweeps have failed. ${impact}`,
  });
  // A deadline that always fails is retried forever, eventually once an hour.
  const stuck = new MetricFilter(scope, "Stuck", {
    logGroup: sweeper.logGroup,
    metricNamespace,
    metricName: "DeadlinesStuck",
    filterPattern: FilterPattern.all(
      FilterPattern.stringValue("$.message", "=", "The deadline failed."),
      FilterPattern.numberValue("$.failures", ">=", 3),
    ),
  });
  alarms.add("DeadlinesStuck", {
    metric: stuck.metric(eachPeriod),
    severity: "ticket",
    runbook: "deadlines-that-do-not-run",
    impact: `A deadline has failed four times. The function's log has its id and the reason. ${impact}`,
  });
  alarms.add("UrgentDeadlinesLate", {
    metric: ownMetric(settings.name, "OldestUrgentDeadlineSeconds", "Maximum"),
    severity: "page",
    // The sweep runs every minute, so nothing should wait longer.
    above: Duration.minutes(2).toSeconds(),
    periods: 2,
    runbook: "deadlines-that-are-late",
    impact: "Holds expire or deposits clear more than two minutes late: cardholders cannot use their money.",
  });
  alarms.add("DeadlinesLate", {
    metric: ownMetric(settings.name, "OldestDueDeadlineSeconds", "Maximum"),
    severity: "ticket",
    above: Duration.minutes(15).toSeconds(),
    periods: 2,
    runbook: "deadlines-that-are-late",
    impact: "A deadline is more than 15 minutes late: fees, callback retries or reminders.",
  });
}
