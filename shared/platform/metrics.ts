import { type MetricName, metricNamespace, metrics } from "../contract/metrics.ts";
import { now } from "./clock.ts";
import { environment } from "./environment.ts";
import { log } from "./log.ts";

/** What was measured. */
export type Measured = Readonly<Partial<Record<MetricName, number>>>;

/** One group of metrics that have their dimensions in common, as CloudWatch reads it. */
interface Directive {
  readonly Namespace: string;
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: readonly { readonly Name: string; readonly Unit: string }[];
}

/**
 * Writes a line to the log of which CloudWatch makes metrics (embedded metric format), so that a figure and what it comes from stand together, and
 * nothing is called for it. Never throws: no measurement is worth an answer, or the way of money.
 *
 * @param facts ids, codes and causes; `reason` tells apart what is measured by it
 */
export function logMeasured(
  message: string,
  facts: Readonly<Record<string, unknown>>,
  measure: () => Measured,
): void {
  try {
    const measured = measure();
    log.measured(message, {
      ...facts,
      environment: environment.name,
      function: environment.functionFolder,
      ...measured,
      _aws: {
        Timestamp: now().getTime(),
        CloudWatchMetrics: directives(Object.keys(measured) as MetricName[]),
      },
    });
  } catch {
    // A figure is missing then; whoever looks at the log misses its line.
  }
}

function directives(names: readonly MetricName[]): Directive[] {
  const groups = Map.groupBy(names, dimensionOf);
  return [...groups].map(([by, group]) => ({
    Namespace: metricNamespace,
    Dimensions: by ? [["environment"], ["environment", by]] : [["environment"]],
    Metrics: group.map((Name) => ({ Name, Unit: metrics[Name].unit })),
  }));
}

function dimensionOf(name: MetricName): string | undefined {
  const metric = metrics[name];
  return "by" in metric ? metric.by : undefined;
}
