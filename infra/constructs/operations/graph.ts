import {
  type Dashboard,
  GraphWidget,
  type IMetric,
  type Metric,
  Row,
  TextWidget,
} from "aws-cdk-lib/aws-cloudwatch";
import { type MetricDimension, type MetricName, metricNamespace } from "../../../shared/contract/metrics.ts";
import type { EnvironmentName } from "../../environments.ts";
import { awsMetric, eachPeriod, alarmPeriod as period } from "./alarms.ts";

export const rowWidth = 24;

/** The label is the unit's, if it is no count. */
export type Graph = readonly [title: string, metrics: IMetric[], label?: string];

export function section(dashboard: Dashboard, title: string, graphs: readonly Graph[]) {
  dashboard.addWidgets(new TextWidget({ markdown: `## ${title}`, width: rowWidth, height: 1 }));
  const width = rowWidth / graphs.length;
  const row = graphs.map(([title, left, label]) => {
    const leftYAxis = { min: 0, ...(label !== undefined && { label, showUnits: false }) };
    return new GraphWidget({ title, left, leftYAxis, width, height: 6 });
  });
  dashboard.addWidgets(new Row(...row));
}

export function ownMetric(
  environment: EnvironmentName,
  metricName: MetricName,
  statistic: string,
  dimensions: Readonly<Partial<Record<Exclude<MetricDimension, "environment">, string>>> = {},
): Metric {
  const label = [metricName, ...Object.values(dimensions)].join(" ");
  const own = { environment, ...dimensions };
  return awsMetric(metricNamespace, metricName, own, { statistic, period, label });
}

/** Counts KMS calls of the whole account: KMS has no metric per key. */
export function kmsCalls(operations: string, every = period): Metric {
  const dimensions = { Service: "KMS", Type: "API", Resource: operations, Class: "None" };
  return awsMetric("AWS/Usage", "CallCount", dimensions, { ...eachPeriod, period: every, label: operations });
}
