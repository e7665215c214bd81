import { ArnFormat, Stack, Stage } from "aws-cdk-lib";
import {
  Alarm,
  AlarmStatusWidget,
  Dashboard,
  type IAlarm,
  type IMetric,
  type IWidget,
  MathExpression,
  Stats,
} from "aws-cdk-lib/aws-cloudwatch";
import type { ITable } from "aws-cdk-lib/aws-dynamodb";
import type { IConstruct } from "constructs";
import { AuthorizationDeclineReason } from "../../../shared/contract/transactions.ts";
import type { Settings } from "../../environments.ts";
import { ContractApi } from "../api/rest-api.ts";
import { blockedRequests } from "../api/web-acl.ts";
import { DeadLetterQueue, WorkQueue } from "../messaging/work-queue.ts";
import { type FunctionName, ServiceFunction } from "../service-function.ts";
import { Alarms, alarmPeriod as period } from "./alarms.ts";
import { functionGraphs } from "./function-graphs.ts";
import { graph, kmsCalls, rowWidth, section } from "./graph.ts";
import { ownMetric } from "./own-metrics.ts";

export interface DashboardProps {
  readonly settings: Settings;
  readonly tables: Readonly<Record<string, ITable>>;
}

const senders: readonly FunctionName[] = ["callback-delivery", "alert-delivery"];

/**
 * One page on how the environment does. What stands on it is found in the environment's stacks, so that nothing that is added is left out. It is shown by
 * name: a reference from stack to stack would have to be kept for as long as the dashboard's former version.
 */
export function addDashboard(stack: Stack, props: DashboardProps) {
  const dashboard = new Dashboard(stack, "Dashboard", {
    dashboardName: `card-issuing-${props.settings.name}`,
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
  section(dashboard, "Requests", ...requests(all(ContractApi), props.settings));
  section(dashboard, "Firewall", graph(1, "Blocked requests", [blockedRequests(props.settings)]));
  section(dashboard, "Authorizations and deposits", ...moneyEvents(props.settings));
  section(dashboard, "Callbacks and alerts", ...deliveries(props.settings));
  section(
    dashboard,
    "What waits, and what was given up",
    ...waiting(props.settings, all(WorkQueue), all(DeadLetterQueue)),
  );
  section(dashboard, "Store", ...store(props));
  section(dashboard, "Functions", ...functionGraphs(all(ServiceFunction)));
}

function alarmNamed(dashboard: Dashboard, resourceName: string): IAlarm {
  const { COLON_RESOURCE_NAME: arnFormat } = ArnFormat;
  const arn = { service: "cloudwatch", resource: "alarm", resourceName, arnFormat };
  return Alarm.fromAlarmArn(dashboard, resourceName, Stack.of(dashboard).formatArn(arn));
}

function requests(apis: readonly ContractApi[], settings: Settings): IWidget[] {
  const each = (metricsOf: (api: ContractApi, name: string) => IMetric[]) =>
    apis.flatMap((api) => metricsOf(api, api.node.id));
  return [
    graph(
      4,
      "Requests",
      each((api, name) => [api.metricCount({ period, statistic: Stats.SUM, label: name })]),
    ),
    graph(
      4,
      "Refused and failed",
      each((api, name) => [
        api.metricClientError({ period, statistic: Stats.SUM, label: `${name} 4xx` }),
        api.metricServerError({ period, statistic: Stats.SUM, label: `${name} 5xx` }),
      ]),
    ),
    graph(
      4,
      "Latency",
      each((api, name) => [
        api.metricLatency({ period, statistic: Stats.p(50), label: `${name} p50` }),
        api.metricLatency({ period, statistic: Stats.p(99), label: `${name} p99` }),
        api.metricIntegrationLatency({ period, statistic: Stats.p(99), label: `${name} integration p99` }),
      ]),
      "ms",
    ),
    graph(4, "Let in while DNS is silent", [ownMetric(settings.name, "AllowedWithoutDns", Stats.SUM)]),
  ];
}

function moneyEvents({ name }: Settings): IWidget[] {
  const decided = ownMetric(name, "Authorizations", Stats.SUM);
  const approved = ownMetric(name, "AuthorizationsApproved", Stats.SUM);
  const reasons = AuthorizationDeclineReason.options;
  return [
    graph(4, "Decided", [decided, approved]),
    graph(
      4,
      "Approved",
      [
        new MathExpression({
          expression: "100 * approved / decided",
          usingMetrics: { approved, decided },
          period,
          label: "Approved",
        }),
      ],
      "percent",
    ),
    graph(
      4,
      "Declined, by reason",
      reasons.map((reason) => ownMetric(name, "AuthorizationsDeclined", Stats.SUM, { reason })),
    ),
    graph(4, "Deposits refused and suspended", [
      ownMetric(name, "DepositEventsRefused", Stats.SUM),
      ownMetric(name, "DepositsSuspended", Stats.SUM),
    ]),
  ];
}

function deliveries({ name }: Settings): IWidget[] {
  const each = (...[metric, statistic]: [Parameters<typeof ownMetric>[1], string]) =>
    senders.map((folder) => ownMetric(name, metric, statistic, { function: folder }));
  return [
    graph(3, "Attempts and failures", [
      ...each("DeliveryAttempts", Stats.SUM),
      ...each("DeliveryFailures", Stats.SUM),
    ]),
    graph(
      3,
      "From the event to the answer of the first attempt",
      [
        ...each("DeliveryLag", Stats.p(50)),
        ...each("DeliveryLag", Stats.p(90)),
        ...each("DeliveryLag", Stats.p(99)),
      ],
      "ms",
    ),
    graph(3, "The same, where it took more attempts", each("RetriedDeliveryLag", Stats.p(90)), "ms"),
  ];
}

function waiting(
  { name }: Settings,
  queues: readonly WorkQueue[],
  deadLetters: readonly DeadLetterQueue[],
): IWidget[] {
  return [
    graph(
      4,
      "Age of the oldest message",
      queues.map(({ queue, node, name }) =>
        queue.metricApproximateAgeOfOldestMessage({
          period,
          label: node.id,
          dimensionsMap: { QueueName: name },
        }),
      ),
      "s",
    ),
    graph(
      4,
      "Messages that are handled",
      queues.map(({ queue, node, name }) =>
        queue.metricNumberOfMessagesDeleted({ period, label: node.id, dimensionsMap: { QueueName: name } }),
      ),
    ),
    graph(
      4,
      "Dead letters",
      deadLetters.map(({ queue, node, name }) =>
        queue.metricApproximateNumberOfMessagesVisible({
          period,
          dimensionsMap: { QueueName: name },
          label: node.path.split("/").at(-2) ?? node.id,
        }),
      ),
    ),
    graph(
      4,
      "Age of the oldest due deadline",
      [
        ownMetric(name, "OldestDueDeadlineSeconds", Stats.MAXIMUM),
        ownMetric(name, "OldestUrgentDeadlineSeconds", Stats.MAXIMUM),
      ],
      "s",
    ),
  ];
}

function store({ settings, tables }: DashboardProps): IWidget[] {
  const each = (metricOf: (table: ITable, name: string) => IMetric) =>
    Object.entries(tables).map(([name, table]) => metricOf(table, name));
  return [
    graph(4, "Consumed units", [
      ...each((table, name) => table.metricConsumedWriteCapacityUnits({ period, label: `${name} writes` })),
      ...each((table, name) => table.metricConsumedReadCapacityUnits({ period, label: `${name} reads` })),
    ]),
    graph(
      4,
      "Throttled",
      ["WriteThrottleEvents", "ReadThrottleEvents"].flatMap((metric) =>
        each((table, name) =>
          table.metric(metric, { period, statistic: Stats.SUM, label: `${name} ${metric}` }),
        ),
      ),
    ),
    graph(4, "Writes that met others'", [
      ownMetric(settings.name, "WriteConflicts", Stats.SUM),
      ownMetric(settings.name, "WritesGivenUp", Stats.SUM),
    ]),
    // Of the whole account: KMS counts no key by itself.
    graph(
      4,
      "Calls of KMS",
      ["CryptographicOperationsSymmetric", "CryptographicOperationsEcc"].map(kmsCalls),
    ),
  ];
}
