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
import { alarmPeriod as period } from "./alarms.ts";

export const rowWidth = 24;

/** A heading, and its graphs side by side below it. */
export function section(dashboard: Dashboard, title: string, ...graphs: IWidget[]) {
  dashboard.addWidgets(new TextWidget({ markdown: `## ${title}`, width: rowWidth, height: 1 }));
  dashboard.addWidgets(new Row(...graphs));
}

export function graph(graphs: number, title: string, left: IMetric[], label?: string): GraphWidget {
  const leftYAxis = { min: 0, ...(label !== undefined && { label, showUnits: false }) };
  return new GraphWidget({ title, left, leftYAxis, width: rowWidth / graphs, height: 6 });
}

/** Calls of KMS of the whole account: it counts no key by itself. */
export function kmsCalls(operations: string): Metric {
  return new Metric({
    namespace: "AWS/Usage",
    metricName: "CallCount",
    dimensionsMap: { Service: "KMS", Type: "API", Resource: operations, Class: "None" },
    statistic: Stats.SUM,
    period,
    label: operations,
  });
}
