import { type MetricName, metrics } from "../../../shared/contract/metrics.ts";
import { type Resource, resourcesOf, synthesized } from "../../infra/synthesized.ts";
import type { Standing } from "./assumptions.ts";

/** Only a network's listener has them, which production has not. */
export const metricsOfListener = [
  "MessagesUnanswered",
  "MessagesReceived",
  "ListenerCertificateDays",
] as const satisfies MetricName[];
const namesOfMetrics = (Object.keys(metrics) as MetricName[]).filter(
  (name) => !metricsOfListener.some((other) => other === name),
);
const reasons: Readonly<Partial<Record<MetricName, number>>> = {
  // Late, failed, disconnected, stopped.
  MessagesUnanswered: 4,
};

/** What stands in production whatever its traffic, counted in its templates. */
export function standingOfProduction(): Standing {
  const templates = synthesized("production");
  const all = (type: string): Resource[] => resourcesOf(templates, type).map(([, one]) => one);
  const rules = all("AWS::WAFv2::WebACL").flatMap(({ Properties }) => Properties.Rules);
  const functions = new Map(resourcesOf(templates, "AWS::Lambda::Function"));
  const runs = [...functions.values()].map(({ Properties }) => Properties);
  const usesTables = (policy: Resource) =>
    JSON.stringify(policy.Properties.PolicyDocument).includes('"dynamodb:');
  const [retentionDays] = all("AWS::Logs::LogGroup").map(({ Properties }) => Properties.RetentionInDays);
  return {
    keyMonths: all("AWS::KMS::Key").length,
    secretMonths: all("AWS::SecretsManager::Secret").length,
    warmGbMonths: all("AWS::Lambda::Version").reduce((sum, version) => sum + warmGb(version, functions), 0),
    firewallMonths: all("AWS::WAFv2::WebACL").length,
    firewallRuleMonths: rules.length,
    dashboardMonths: all("AWS::CloudWatch::Dashboard").length,
    alarmMonths: all("AWS::CloudWatch::Alarm").reduce((sum, alarm) => sum + metricsOf(alarm), 0),
    metricMonths:
      namesOfMetrics.reduce((sum, name) => sum + seriesOf(name), 0) + all("AWS::Logs::MetricFilter").length,
    queues: all("AWS::SQS::Queue").filter(({ Properties }) => Properties.RedrivePolicy).length,
    roles: all("AWS::IAM::Policy").filter(usesTables).length,
    logRetentionMonths: Math.round((retentionDays / 365) * 120) / 10,
    logsRuns: runs.some(({ LoggingConfig }) => LoggingConfig.SystemLogLevel !== "WARN"),
    logsPassed: all("AWS::WAFv2::LoggingConfiguration").some(
      ({ Properties }) => Properties.LoggingFilter?.DefaultBehavior !== "DROP",
    ),
    tracesRuns: runs.some(({ TracingConfig }) => TracingConfig.Mode === "Active"),
    deliveryMegabytes: runs.find(({ FunctionName }) => FunctionName.endsWith("callback-delivery"))
      ?.MemorySize,
    indexerWindowSeconds: Math.max(
      ...all("AWS::Lambda::EventSourceMapping").map(
        ({ Properties }) => Properties.MaximumBatchingWindowInSeconds ?? 0,
      ),
    ),
  };
}

/** What a version's environments have that are always there. */
function warmGb({ Properties }: Resource, functions: ReadonlyMap<string, Resource>): number {
  const { ProvisionedConcurrentExecutions: count = 0 } = Properties.ProvisionedConcurrencyConfig ?? {};
  return (count * functions.get(Properties.FunctionName.Ref)?.Properties.MemorySize) / 1_024;
}

/** An alarm costs as much as the metrics that it looks at. */
function metricsOf({ Properties }: Resource): number {
  const queries: { MetricStat?: object }[] = Properties.Metrics ?? [{ MetricStat: {} }];
  return queries.filter(({ MetricStat }) => MetricStat).length;
}

/** One for each value of its dimension, if it has one. */
export function seriesOf(name: MetricName): number {
  const metric = metrics[name];
  if (!("by" in metric)) return 1;
  return metric.by === "function" ? 2 : (reasons[name] ?? 0);
}
