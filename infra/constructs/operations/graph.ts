import {
  type Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  Metric,
  Row,
  Stats,
  TextWidget,
} from "aws-cdk-lib/aws-cloudwatch";
import { type MetricDimension, type MetricName, metricNamespace } from "../../../shared/contract/metrics.ts";
import type { EnvironmentName } from "../../environments.ts";
import { alarmPeriod as period } from "./alarms.ts";

export const rowWidth = 24;

export function section(dashboard: Dashboard, title: string, ...graphs: IWidget[]) {
  dashboard.addWidgets(new TextWidget({ markdown: `## ${title}`, width: rowWidth, height: 1 }));
  dashboard.addWidgets(new Row(...graphs));
}

/** `graphs` is the number of graphs in the row. */
export function graph(graphs: number, title: string, left: IMetric[], label?: string): GraphWidget {
  const leftYAxis = { min: 0, ...(label !== undefined && { label, showUnits: false }) };
  return new GraphWidget({ title, left, leftYAxis, width: rowWidth / graphs, height: 6 });
}

type Dimensions = Readonly<Partial<Record<Exclude<MetricDimension, "environment">, string>>>;

export function ownMetric(
  environment: EnvironmentName,
  metricName: MetricName,
  statistic: string,
  dimensions: Dimensions = {},
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
