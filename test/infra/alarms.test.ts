import { describe, expect, test } from "vitest";
import { environmentNames } from "../../infra/environments.ts";
import { type Resource, resourcesOf, synthesized } from "./synthesized.ts";

/** What each alarm watches, and above or below which value for how many periods it goes off. */
const alarms: Readonly<Record<string, string>> = {
  AccountsTableThrottled: "throttled calls > 10, 1 x 300 s",
  AddressBlocked: "BlockedRequests Sum > 0, 1 x 300 s",
  AlertDeliveryAge: "ApproximateAgeOfOldestMessage Maximum > 300, 1 x 300 s",
  AlertDeliveryDeadLetters: "ApproximateNumberOfMessagesVisible Maximum > 0, 1 x 60 s",
  AlertsLate: "DeliveryLag p90 > 30000, 3 x 300 s",
  ApprovalsCollapsed: "IF(decided >= 20, 100 * approved / decided, 100) < 20, 3 x 300 s",
  AuthorizationsFailing: "Errors Sum > 2, 1 x 300 s",
  CallbackDeliveryAge: "ApproximateAgeOfOldestMessage Maximum > 300, 1 x 300 s",
  CallbackDeliveryDeadLetters: "ApproximateNumberOfMessagesVisible Maximum > 0, 1 x 60 s",
  CallbackDetourAge: "ApproximateAgeOfOldestMessage Maximum > 300, 1 x 300 s",
  CallbackDetourDeadLetters: "ApproximateNumberOfMessagesVisible Maximum > 0, 1 x 60 s",
  CallbacksLate: "DeliveryLag p90 > 60000, 3 x 300 s",
  DeadlinesFailing: "Errors Sum > 2, 1 x 300 s",
  DeadlinesLate: "OldestDueDeadlineSeconds Maximum > 900, 1 x 300 s",
  DeadlinesSilent: "Invocations Sum < 1, 1 x 300 s, or no data",
  DeadlinesStuck: "DeadlinesStuck Sum > 0, 1 x 300 s",
  DepositEventsRefused: "DepositEventsRefused Sum > 0, 1 x 300 s",
  DepositsSuspended: "DepositsSuspended Sum > 0, 1 x 300 s",
  EvidenceAge: "ApproximateAgeOfOldestMessage Maximum > 300, 1 x 300 s",
  EvidenceDeadLetters: "ApproximateNumberOfMessagesVisible Maximum > 0, 1 x 60 s",
  FilesAge: "ApproximateAgeOfOldestMessage Maximum > 300, 1 x 300 s",
  FilesDeadLetters: "ApproximateNumberOfMessagesVisible Maximum > 0, 1 x 60 s",
  IssuingTableThrottled: "throttled calls > 10, 1 x 300 s",
  ListIndexerGivenUp: "ApproximateNumberOfMessagesVisible Maximum > 0, 1 x 60 s",
  LoopsStopped: "RecursiveInvocationsDropped Sum > 0, 1 x 300 s",
  ListIndexerLag: "IteratorAge Maximum > 1800000, 1 x 300 s",
  OutboxRelayGivenUp: "ApproximateNumberOfMessagesVisible Maximum > 0, 1 x 60 s",
  OutboxRelayLag: "IteratorAge Maximum > 300000, 1 x 300 s",
  OutsideAge: "ApproximateAgeOfOldestMessage Maximum > 86400, 1 x 300 s",
  OutsideDeadLetters: "ApproximateNumberOfMessagesVisible Maximum > 0, 1 x 60 s",
  WebhookApiErrors: "5XXError Sum > 5, 1 x 300 s",
  WebhookApiLatency: "Latency p99 > 3000, 3 x 300 s",
  PlatformApiErrors: "5XXError Sum > 5, 1 x 300 s",
  PlatformApiLatency: "Latency p99 > 3000, 3 x 300 s",
  ProcessorEventsAge: "ApproximateAgeOfOldestMessage Maximum > 300, 1 x 300 s",
  ProcessorEventsDeadLetters: "ApproximateNumberOfMessagesVisible Maximum > 0, 1 x 60 s",
  SandboxApiErrors: "5XXError Sum > 5, 1 x 300 s",
  SandboxApiLatency: "Latency p99 > 3000, 3 x 300 s",
  UrgentDeadlinesLate: "OldestUrgentDeadlineSeconds Maximum > 120, 1 x 300 s",
  WebhookEventsAge: "ApproximateAgeOfOldestMessage Maximum > 300, 1 x 300 s",
  WebhookEventsDeadLetters: "ApproximateNumberOfMessagesVisible Maximum > 0, 1 x 60 s",
  WritesGivenUp: "WritesGivenUp Sum > 0, 1 x 300 s",
};

describe.each(environmentNames)("the alarms of %s", (name) => {
  const templates = synthesized(name);
  const all = resourcesOf(templates, "AWS::Lambda::Function");

  test("are these, and one for each function's throttling", () => {
    const found = resourcesOf(templates, "AWS::CloudWatch::Alarm").map(([, { Properties }]) => [
      Properties.AlarmName.replace(`card-issuing-${name}-`, ""),
      alarmText(Properties),
    ]);
    const throttled = all.map(([id]) => [`${id.slice(0, -8)}Throttled`, "Throttles Sum > 0, 1 x 300 s"]);
    const expected = Object.entries(alarms).filter(
      ([alarm]) => name !== "production" || !alarm.startsWith("Sandbox"),
    );
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries([...expected, ...throttled]));
  });
});

/** `Errors Sum > 2, 1 x 300 s` */
function alarmText(alarm: Resource["Properties"]): string {
  const { Metrics = [], Threshold, EvaluationPeriods, ComparisonOperator, TreatMissingData } = alarm;
  const [stat] = Metrics.flatMap(({ MetricStat }: Resource["Properties"]) => MetricStat ?? []);
  const [expression] = Metrics.flatMap(({ Expression }: Resource["Properties"]) => Expression ?? []);
  const metric = stat
    ? `${stat.Metric.MetricName} ${stat.Stat}`
    : `${alarm.MetricName} ${alarm.Statistic ?? alarm.ExtendedStatistic}`;
  const what = expression?.includes("transactwriteitems") ? "throttled calls" : (expression ?? metric);
  const sign = { GreaterThanThreshold: ">", LessThanThreshold: "<" }[ComparisonOperator as string];
  const missing = { notBreaching: "", breaching: ", or no data" }[TreatMissingData as string];
  return `${what} ${sign} ${Threshold}, ${EvaluationPeriods} x ${alarm.Period ?? stat.Period} s${missing}`;
}
