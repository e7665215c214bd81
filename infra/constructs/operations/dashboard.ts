import { ArnFormat, Stack, Stage } from "aws-cdk-lib";
import {
  Alarm,
  AlarmStatusWidget,
  Dashboard,
  type IAlarm,
  type IMetric,
  MathExpression,
  type Metric,
  type MetricOptions,
  Stats,
} from "aws-cdk-lib/aws-cloudwatch";
import type { ITable } from "aws-cdk-lib/aws-dynamodb";
import { CfnEventSourceMapping } from "aws-cdk-lib/aws-lambda";
import type { IConstruct } from "constructs";
import type { MetricName } from "../../../shared/contract/metrics.ts";
import type { Settings } from "../../environments.ts";
import { HostedApi } from "../api/hosted-api.ts";
import { blockedRequests } from "../api/web-acl.ts";
import { Outside } from "../messaging/outside.ts";
import { DeadLetterQueue, WorkQueue } from "../messaging/work-queue.ts";
import { roleNameIn } from "../second-region-settings.ts";
import { ServiceFunction } from "../service-function.ts";
import type { FunctionName } from "../table-permissions.ts";
import { Alarms, eachPeriod, alarmPeriod as period } from "./alarms.ts";
import { type Graph, kmsCalls, ownMetric, rowWidth, section } from "./graph.ts";

const senders: readonly FunctionName[] = ["callback-delivery", "alert-delivery"];

/**
 * Shows the environment's health. It finds resources in the stacks, so that it misses none, and
 * refers to them by name: cross-stack references would block later changes.
 */
export function addDashboard(stack: Stack, settings: Settings, tables: Readonly<Record<string, ITable>>) {
  const dashboard = new Dashboard(stack, "Dashboard", {
    // A dashboard is one for all regions.
    dashboardName: roleNameIn(settings, `card-issuing-${settings.name}`),
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
  const own = ownMetric.bind(undefined, settings.name);
  const add = section.bind(undefined, dashboard);
  add("Requests", [
    ...requests(all(HostedApi)),
    ["Admitted without DNS", [own("AllowedWithoutDns", Stats.SUM)]],
  ]);
  add("Firewall and card numbers", [
    ["Blocked requests", [blockedRequests(settings), blockedRequests(settings, "ALL", "-webhooks")]],
    ["Card numbers", sums(own, "NumbersDrawn", "NumberCollisions", "NumbersExhausted")],
  ]);
  add("Authorizations and deposits", moneyEvents(own));
  add("Authorization endpoints and the card network", decisions(own));
  add("Callbacks and alerts", deliveries(own));
  add("Queues, dead letters and deadlines", [
    ...waiting([...all(WorkQueue), ...all(Outside)], all(DeadLetterQueue)),
    [
      "Age of the oldest due deadline",
      (["OldestDueDeadlineSeconds", "OldestUrgentDeadlineSeconds"] as const).map((name) =>
        own(name, Stats.MAXIMUM),
      ),
      "s",
    ],
  ]);
  add("Store", [
    ...store(tables),
    ["Write conflicts", sums(own, "WriteConflicts", "WritesGivenUp")],
    [
      "KMS calls",
      ["CryptographicOperationsSymmetric", "CryptographicOperationsEcc"].map((one) => kmsCalls(one)),
    ],
  ]);
  add("Functions", functions(all(ServiceFunction)));
}

function alarmNamed(dashboard: Dashboard, resourceName: string): IAlarm {
  const { COLON_RESOURCE_NAME: arnFormat } = ArnFormat;
  const arn = { service: "cloudwatch", resource: "alarm", resourceName, arnFormat };
  return Alarm.fromAlarmArn(dashboard, resourceName, Stack.of(dashboard).formatArn(arn));
}

type Own = (name: MetricName, statistic: string, dimensions?: Parameters<typeof ownMetric>[3]) => Metric;

function sums(own: Own, ...names: MetricName[]): IMetric[] {
  return names.map((name) => own(name, Stats.SUM));
}

function requests(apis: readonly HostedApi[]): Graph[] {
  const percentile = (percent: number, label: string) => ({ period, statistic: Stats.p(percent), label });
  return [
    ["Requests", apis.map((api) => api.metricCount({ ...eachPeriod, label: api.node.id }))],
    [
      "Rejected and failed",
      apis.flatMap((api) => [
        api.metricClientError({ ...eachPeriod, label: `${api.node.id} 4xx` }),
        api.metricServerError({ ...eachPeriod, label: `${api.node.id} 5xx` }),
      ]),
    ],
    [
      "Latency",
      apis.flatMap((api) => [
        api.metricLatency(percentile(50, `${api.node.id} p50`)),
        api.metricLatency(percentile(99, `${api.node.id} p99`)),
        api.metricIntegrationLatency(percentile(99, `${api.node.id} integration p99`)),
      ]),
      "ms",
    ],
  ];
}

function moneyEvents(own: Own): Graph[] {
  const [approved, decided] = [own("AuthorizationsApproved", Stats.SUM), own("Authorizations", Stats.SUM)];
  const approvedPercent = new MathExpression({
    expression: "100 * approved / decided",
    usingMetrics: { approved, decided },
    period,
    label: "Approved",
  });
  return [
    ["Decided", [decided, approved]],
    ["Approved", [approvedPercent], "percent"],
    ["Deposits rejected and suspended", sums(own, "DepositEventsRefused", "DepositsSuspended")],
    ["Payments without a report", sums(own, "PaymentsUnreported")],
  ];
}

function decisions(own: Own): Graph[] {
  const unanswered = ["late", "failed", "disconnected", "stopped"].map((reason) =>
    own("MessagesUnanswered", Stats.SUM, { reason }),
  );
  return [
    ["Questions", sums(own, "Questions", "QuestionsFailed", "LateAnswers")],
    ["Time to the answer", [50, 99].map((percent) => own("AnswerLatency", Stats.p(percent))), "ms"],
    ["Network messages, and those without an answer", [own("MessagesReceived", Stats.SUM), ...unanswered]],
    ["Until the listener's certificate ends", [own("ListenerCertificateDays", Stats.MINIMUM)], "days"],
  ];
}

function deliveries(own: Own): Graph[] {
  const each = (name: MetricName, statistic: string) =>
    senders.map((folder) => own(name, statistic, { function: folder }));
  return [
    [
      "Attempts and failures",
      [...each("DeliveryAttempts", Stats.SUM), ...each("DeliveryFailures", Stats.SUM)],
    ],
    [
      "Time from the event to the first attempt's answer",
      [50, 90, 99].flatMap((percent) => each("DeliveryLag", Stats.p(percent))),
      "ms",
    ],
    ["The same for retried deliveries", each("RetriedDeliveryLag", Stats.p(90)), "ms"],
  ];
}

function waiting(queues: readonly (WorkQueue | Outside)[], deadLetters: readonly DeadLetterQueue[]): Graph[] {
  const named = ({ node, queue }: WorkQueue | Outside) => ({
    period,
    label: node.id,
    dimensionsMap: { QueueName: queue.name },
  });
  const givenUp = deadLetters.map(({ queue, node }) =>
    queue.metricApproximateNumberOfMessagesVisible({
      period,
      dimensionsMap: { QueueName: queue.name },
      label: node.path.split("/").at(-2) ?? node.id,
    }),
  );
  return [
    [
      "Age of the oldest message",
      queues.map((one) => one.queue.metricApproximateAgeOfOldestMessage(named(one))),
      "s",
    ],
    ["Handled messages", queues.map((one) => one.queue.metricNumberOfMessagesDeleted(named(one)))],
    ["Dead letters", givenUp],
  ];
}

function store(tables: Readonly<Record<string, ITable>>): Graph[] {
  const each = (metric: (table: ITable, name: string) => IMetric) =>
    Object.entries(tables).map(([name, table]) => metric(table, name));
  const consumed = [
    ...each((table, name) => table.metricConsumedWriteCapacityUnits({ period, label: `${name} writes` })),
    ...each((table, name) => table.metricConsumedReadCapacityUnits({ period, label: `${name} reads` })),
  ];
  const throttled = ["WriteThrottleEvents", "ReadThrottleEvents"].flatMap((metric) =>
    each((table, name) => table.metric(metric, { ...eachPeriod, label: `${name} ${metric}` })),
  );
  return [
    ["Consumed units", consumed],
    ["Throttled", throttled],
  ];
}

function functions(made: readonly ServiceFunction[]): Graph[] {
  const named = ({ name: FunctionName, node }: ServiceFunction): MetricOptions => ({
    period,
    label: node.id,
    dimensionsMap: { FunctionName },
  });
  // Only mappings of streams have a starting position.
  const isStreamReader = (one: IConstruct) =>
    one instanceof CfnEventSourceMapping && one.startingPosition !== undefined;
  const readers = made.filter(({ node }) => node.findAll().some(isStreamReader));
  const durations = made.map((one) => one.metricDuration({ ...named(one), statistic: Stats.p(99) }));
  const ages = readers.map((one) => one.metric("IteratorAge", { ...named(one), statistic: Stats.MAXIMUM }));
  return [
    ["Errors", made.map((one) => one.metricErrors(named(one)))],
    ["Throttled", made.map((one) => one.metricThrottles(named(one)))],
    ["Duration p99", durations, "ms"],
    ["Lag of the stream's consumers", ages, "ms"],
  ];
}
