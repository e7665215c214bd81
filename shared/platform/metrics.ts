import { type MetricName, metricNamespace, metrics } from "../contract/metrics.ts";
import { now } from "./clock.ts";
import { environment } from "./environment.ts";
import { log } from "./log.ts";

export type Measured = Readonly<Partial<Record<MetricName, number>>>;

/**
 * Writes a log line that is also a metric (embedded metric format). Never throws.
 * @param facts ids, codes and causes; `reason` is a dimension of some metrics
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
      function: environment.serviceName,
      ...measured,
      _aws: {
        Timestamp: now().getTime(),
        CloudWatchMetrics: directives(Object.keys(measured) as MetricName[]),
      },
    });
  } catch {
    // A missing metric must not fail a request.
  }
}

/** One directive for each set of dimensions. */
function directives(names: readonly MetricName[]) {
  const groups = Map.groupBy(names, findDimension);
  return [...groups].map(([by, group]) => ({
    Namespace: metricNamespace,
    Dimensions: [["environment", ...(by ? [by] : [])]],
    Metrics: group.map((Name) => ({ Name, Unit: metrics[Name].unit })),
  }));
}

function findDimension(name: MetricName): string | undefined {
  const metric = metrics[name];
  return "by" in metric ? metric.by : undefined;
}
