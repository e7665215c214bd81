import { Metric } from "aws-cdk-lib/aws-cloudwatch";
import { type MetricDimension, type MetricName, metricNamespace } from "../../../shared/contract/metrics.ts";
import type { EnvironmentName } from "../../environments.ts";
import { alarmPeriod } from "./alarms.ts";

/** What a metric's values are told apart by, beside the environment. */
type By = Readonly<Partial<Record<Exclude<MetricDimension, "environment">, string>>>;

/** A metric that the functions write to their logs. */
export function ownMetric(
  environment: EnvironmentName,
  metricName: MetricName,
  statistic: string,
  by: By = {},
): Metric {
  return new Metric({
    namespace: metricNamespace,
    metricName,
    dimensionsMap: { environment, ...by },
    statistic,
    period: alarmPeriod,
    label: [metricName, ...Object.values(by)].join(" "),
  });
}
