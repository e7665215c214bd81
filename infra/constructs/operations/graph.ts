import {
  type Dashboard,
  GraphWidget,
  type IMetric,
  Metric,
  Row,
  Stats,
  TextWidget,
} from "aws-cdk-lib/aws-cloudwatch";
import { type MetricDimension, type MetricName, metricNamespace } from "../../../shared/contract/metrics.ts";
import type { EnvironmentName } from "../../environments.ts";
import { alarmPeriod as period } from "./alarms.ts";

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
  return new Metric({
    namespace: metricNamespace,
    metricName,
    dimensionsMap: { environment, ...dimensions },
    statistic,
    period,
    label: [metricName, ...Object.values(dimensions)].join(" "),
  });
}

/** Counts KMS calls of the whole account: KMS has no metric per key. */
export function kmsCalls(operations: string, every = period): Metric {
  return new Metric({
    namespace: "AWS/Usage",
    metricName: "CallCount",
    dimensionsMap: { Service: "KMS", Type: "API", Resource: operations, Class: "None" },
    statistic: Stats.SUM,
    period: every,
    label: operations,
  });
}
