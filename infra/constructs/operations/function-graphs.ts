import { type IMetric, type IWidget, type MetricOptions, Stats } from "aws-cdk-lib/aws-cloudwatch";
import { CfnEventSourceMapping } from "aws-cdk-lib/aws-lambda";
import type { IConstruct } from "constructs";
import type { ServiceFunction } from "../service-function.ts";
import { alarmPeriod as period } from "./alarms.ts";
import { graph } from "./graph.ts";

/** Whether it feeds a function from a stream, to which Lambda gives a place to start at. */
function isStreamReader(one: IConstruct): boolean {
  return one instanceof CfnEventSourceMapping && one.startingPosition !== undefined;
}

export function functionGraphs(made: readonly ServiceFunction[]): IWidget[] {
  const each = (metricOf: (one: ServiceFunction, options: MetricOptions) => IMetric) =>
    made.map((one) => metricOf(one, named(one)));
  const named = ({ name: FunctionName, node }: ServiceFunction) => ({
    period,
    label: node.id,
    dimensionsMap: { FunctionName },
  });
  const readers = made.filter(({ node }) => node.findAll().some(isStreamReader));
  return [
    graph(
      4,
      "Errors",
      each((one, options) => one.metricErrors(options)),
    ),
    graph(
      4,
      "Refused for lack of concurrency",
      each((one, options) => one.metricThrottles(options)),
    ),
    graph(
      4,
      "Duration p99",
      each((one, options) => one.metricDuration({ ...options, statistic: Stats.p(99) })),
      "ms",
    ),
    graph(
      4,
      "How far the readers of the stream are behind",
      readers.map((one) => one.metric("IteratorAge", { ...named(one), statistic: Stats.MAXIMUM })),
      "ms",
    ),
  ];
}
