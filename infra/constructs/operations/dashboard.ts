import { ArnFormat, Stack, Stage } from "aws-cdk-lib";
import {
  Alarm,
  AlarmStatusWidget,
  Dashboard,
  type IAlarm,
  type IMetric,
  type IWidget,
  MathExpression,
  type MetricOptions,
  Stats,
} from "aws-cdk-lib/aws-cloudwatch";
import type { ITable } from "aws-cdk-lib/aws-dynamodb";
import { CfnEventSourceMapping } from "aws-cdk-lib/aws-lambda";
import type { IConstruct } from "constructs";
import type { MetricName } from "../../../shared/contract/metrics.ts";
import { AuthorizationDeclineReason } from "../../../shared/contract/transactions.ts";
import type { Settings } from "../../environments.ts";
import { HostedApi } from "../api/hosted-api.ts";
import { blockedRequests } from "../api/web-acl.ts";
import { Outside } from "../messaging/outside.ts";
import { DeadLetterQueue, WorkQueue } from "../messaging/work-queue.ts";
import { roleNameIn } from "../second-region-settings.ts";
import { ServiceFunction } from "../service-function.ts";
import type { FunctionName } from "../table-permissions.ts";
import { Alarms, alarmPeriod as period } from "./alarms.ts";
import { graph, kmsCalls, ownMetric, rowWidth, section } from "./graph.ts";

export interface DashboardProps {
  readonly settings: Settings;
  readonly tables: Readonly<Record<string, ITable>>;
}

const senders: readonly FunctionName[] = ["callback-delivery", "alert-delivery"];

/**
 * Shows the environment's health. It finds resources in the stacks, so that it misses none, and
 * refers to them by name: cross-stack references would block later changes.
 */
export function addDashboard(stack: Stack, props: DashboardProps) {
  const dashboard = new Dashboard(stack, "Dashboard", {
    // A dashboard is one for all regions.
    dashboardName: roleNameIn(props.settings, `card-issuing-${props.settings.name}`),
  });
  const stage = Stage.of(stack) ?? stack;
  const all = <C extends IConstruct>(type: abstract new (...input: never[]) => C): C[] =>
    stage.node.findAll().filter((one): one is C => one instanceof type);
  dashboard.addWidgets(
    new AlarmStatusWidget({
      title: "Alarms",
      alarms: all(Alarms).flatMap(({ names }) => names.map((name) => alarmNamed(dashboard, name))),
      width: rowWidth,
      height: 6,
    }),
  );
  section(dashboard, "Requests", ...requests(all(HostedApi), props.settings));
  section(
    dashboard,
    "Firewall and card numbers",
    graph(2, "Blocked requests", [
      blockedRequests(props.settings),
      blockedRequests(props.settings, "ALL", "-webhooks"),
    ]),
    graph(2, "Card numbers", cardNumbers(props.settings)),
  );
  section(dashboard, "Authorizations and deposits", ...moneyEvents(props.settings));
  section(dashboard, "Authorization endpoints and the card network", ...decisions(props.settings));
  section(dashboard, "Callbacks and alerts", ...deliveries(props.settings));
  section(
    dashboard,
    "Queues, dead letters and deadlines",
    ...waiting(props.settings, [...all(WorkQueue), ...all(Outside)], all(DeadLetterQueue)),
  );
  section(dashboard, "Store", ...store(props));
  section(dashboard, "Functions", ...functions(all(ServiceFunction)));
}

function alarmNamed(dashboard: Dashboard, resourceName: string): IAlarm {
  const { COLON_RESOURCE_NAME: arnFormat } = ArnFormat;
  const arn = { service: "cloudwatch", resource: "alarm", resourceName, arnFormat };
  return Alarm.fromAlarmArn(dashboard, resourceName, Stack.of(dashboard).formatArn(arn));
}

function requests(apis: readonly HostedApi[], settings: Settings): IWidget[] {
  const sum = (label: string) => ({ period, statistic: Stats.SUM, label });
  const percentile = (percent: number, label: string) => ({ period, statistic: Stats.p(percent), label });
  const counts = apis.map((api) => api.metricCount(sum(api.node.id)));
  const errors = apis.flatMap((api) => [
    api.metricClientError(sum(`${api.node.id} 4xx`)),
    api.metricServerError(sum(`${api.node.id} 5xx`)),
  ]);
  const latencies = apis.flatMap((api) => [
    api.metricLatency(percentile(50, `${api.node.id} p50`)),
    api.metricLatency(percentile(99, `${api.node.id} p99`)),
    api.metricIntegrationLatency(percentile(99, `${api.node.id} integration p99`)),
  ]);
  return [
    graph(4, "Requests", counts),
    graph(4, "Rejected and failed", errors),
    graph(4, "Latency", latencies, "ms"),
    graph(4, "Admitted without DNS", [ownMetric(settings.name, "AllowedWithoutDns", Stats.SUM)]),
  ];
}

function cardNumbers({ name }: Settings): IMetric[] {
  const counts = ["NumbersDrawn", "NumberCollisions", "NumbersExhausted"] as const;
  return counts.map((metric) => ownMetric(name, metric, Stats.SUM));
}

function moneyEvents({ name }: Settings): IWidget[] {
  const decided = ownMetric(name, "Authorizations", Stats.SUM);
  const approved = ownMetric(name, "AuthorizationsApproved", Stats.SUM);
  const approvedPercent = new MathExpression({
    expression: "100 * approved / decided",
    usingMetrics: { approved, decided },
    period,
    label: "Approved",
  });
  const declined = AuthorizationDeclineReason.options.map((reason) =>
    ownMetric(name, "AuthorizationsDeclined", Stats.SUM, { reason }),
  );
  return [
    graph(4, "Decided", [decided, approved]),
    graph(4, "Approved", [approvedPercent], "percent"),
    graph(4, "Declined, by reason", declined),
    graph(4, "Deposits rejected and suspended", [
      ownMetric(name, "DepositEventsRefused", Stats.SUM),
      ownMetric(name, "DepositsSuspended", Stats.SUM),
    ]),
  ];
}

function decisions({ name }: Settings): IWidget[] {
  const latencies = [50, 99].map((percent) => ownMetric(name, "AnswerLatency", Stats.p(percent)));
  const counts = (["Questions", "QuestionsFailed", "LateAnswers"] as const).map((metric) =>
    ownMetric(name, metric, Stats.SUM),
  );
  const unanswered = (["late", "failed", "disconnected", "stopped"] as const).map((reason) =>
    ownMetric(name, "MessagesUnanswered", Stats.SUM, { reason }),
  );
  return [
    graph(4, "Questions", counts),
    graph(4, "Time to the answer", latencies, "ms"),
    graph(4, "Network messages, and those without an answer", [
      ownMetric(name, "MessagesReceived", Stats.SUM),
      ...unanswered,
    ]),
    graph(
      4,
      "Until the listener's certificate ends",
      [ownMetric(name, "ListenerCertificateDays", Stats.MINIMUM)],
      "days",
    ),
  ];
}

function deliveries({ name }: Settings): IWidget[] {
  const each = (metric: MetricName, statistic: string) =>
    senders.map((folder) => ownMetric(name, metric, statistic, { function: folder }));
  const attempts = [...each("DeliveryAttempts", Stats.SUM), ...each("DeliveryFailures", Stats.SUM)];
  const lags = [50, 90, 99].flatMap((percent) => each("DeliveryLag", Stats.p(percent)));
  return [
    graph(3, "Attempts and failures", attempts),
    graph(3, "Time from the event to the first attempt's answer", lags, "ms"),
    graph(3, "The same for retried deliveries", each("RetriedDeliveryLag", Stats.p(90)), "ms"),
  ];
}

function waiting(
  { name }: Settings,
  queues: readonly (WorkQueue | Outside)[],
  deadLetters: readonly DeadLetterQueue[],
): IWidget[] {
  const named = ({ node, name }: WorkQueue | Outside) => ({
    period,
    label: node.id,
    dimensionsMap: { QueueName: name },
  });
  const ages = queues.map((one) => one.queue.metricApproximateAgeOfOldestMessage(named(one)));
  const handled = queues.map((one) => one.queue.metricNumberOfMessagesDeleted(named(one)));
  const givenUp = deadLetters.map(({ queue, node, name }) =>
    queue.metricApproximateNumberOfMessagesVisible({
      period,
      dimensionsMap: { QueueName: name },
      label: node.path.split("/").at(-2) ?? node.id,
    }),
  );
  const deadlines = (["OldestDueDeadlineSeconds", "OldestUrgentDeadlineSeconds"] as const).map((metric) =>
    ownMetric(name, metric, Stats.MAXIMUM),
  );
  return [
    graph(4, "Age of the oldest message", ages, "s"),
    graph(4, "Handled messages", handled),
    graph(4, "Dead letters", givenUp),
    graph(4, "Age of the oldest due deadline", deadlines, "s"),
  ];
}

function store({ settings, tables }: DashboardProps): IWidget[] {
  const each = (metricOf: (table: ITable, name: string) => IMetric) =>
    Object.entries(tables).map(([name, table]) => metricOf(table, name));
  const consumed = [
    ...each((table, name) => table.metricConsumedWriteCapacityUnits({ period, label: `${name} writes` })),
    ...each((table, name) => table.metricConsumedReadCapacityUnits({ period, label: `${name} reads` })),
  ];
  const throttled = ["WriteThrottleEvents", "ReadThrottleEvents"].flatMap((metric) =>
    each((table, name) => table.metric(metric, { period, statistic: Stats.SUM, label: `${name} ${metric}` })),
  );
  return [
    graph(4, "Consumed units", consumed),
    graph(4, "Throttled", throttled),
    graph(4, "Write conflicts", [
      ownMetric(settings.name, "WriteConflicts", Stats.SUM),
      ownMetric(settings.name, "WritesGivenUp", Stats.SUM),
    ]),
    graph(
      4,
      "KMS calls",
      ["CryptographicOperationsSymmetric", "CryptographicOperationsEcc"].map((one) => kmsCalls(one)),
    ),
  ];
}

function functions(made: readonly ServiceFunction[]): IWidget[] {
  const named = ({ name: FunctionName, node }: ServiceFunction): MetricOptions => ({
    period,
    label: node.id,
    dimensionsMap: { FunctionName },
  });
  // Only mappings of streams have a starting position.
  const isStreamReader = (one: IConstruct) =>
    one instanceof CfnEventSourceMapping && one.startingPosition !== undefined;
  const readers = made.filter(({ node }) => node.findAll().some(isStreamReader));
  const errors = made.map((one) => one.metricErrors(named(one)));
  const throttles = made.map((one) => one.metricThrottles(named(one)));
  const durations = made.map((one) => one.metricDuration({ ...named(one), statistic: Stats.p(99) }));
  const ages = readers.map((one) => one.metric("IteratorAge", { ...named(one), statistic: Stats.MAXIMUM }));
  return [
    graph(4, "Errors", errors),
    graph(4, "Throttled", throttles),
    graph(4, "Duration p99", durations, "ms"),
    graph(4, "Lag of the stream's consumers", ages, "ms"),
  ];
}
