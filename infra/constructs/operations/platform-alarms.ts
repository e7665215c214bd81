import { Duration } from "aws-cdk-lib";
import { ComparisonOperator, MathExpression, Metric } from "aws-cdk-lib/aws-cloudwatch";
import { type ITable, Operation } from "aws-cdk-lib/aws-dynamodb";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { MetricName } from "../../../shared/contract/metrics.ts";
import type { EnvironmentName } from "../../environments.ts";
import type { FunctionName } from "../table-permissions.ts";
import { type Alarms, alarmPeriod } from "./alarms.ts";
import { ownMetric } from "./graph.ts";

export interface PlatformAlarmsProps {
  readonly environment: EnvironmentName;
  readonly alarms: Alarms;
  readonly processor: LambdaFunction;
}

/** Fewer authorizations in five minutes are not representative. */
const leastAuthorizations = 20;

/** Lambda stops functions that cause their own invocations, unless their templates allow it. */
function addLoopsStopped(alarms: Alarms) {
  alarms.add("LoopsStopped", {
    // Of all functions of the account and region.
    metric: new Metric({
      namespace: "AWS/Lambda",
      metricName: "RecursiveInvocationsDropped",
      statistic: "Sum",
      period: alarmPeriod,
    }),
    threshold: 0,
    runbook: "loops-that-lambda-stops",
    impact: "Lambda stopped a function that causes its own invocations: its message waits as a dead letter.",
  });
}

/** Adds alarms on what customers experience, whichever part fails. */
export function addPlatformAlarms({ environment, alarms, processor }: PlatformAlarmsProps) {
  const own = ownMetric.bind(undefined, environment);
  alarms.add("AuthorizationsFailing", {
    metric: processor.metricErrors({ period: alarmPeriod }),
    threshold: 2,
    runbook: "authorizations-that-fail",
    impact: "The card network's authorizations get no answer: merchants decline the cards.",
  });
  alarms.add("ApprovalsCollapsed", {
    metric: new MathExpression({
      expression: `IF(decided >= ${leastAuthorizations}, 100 * approved / decided, 100)`,
      usingMetrics: { decided: own("Authorizations", "Sum"), approved: own("AuthorizationsApproved", "Sum") },
      period: alarmPeriod,
      label: "Approved authorizations in percent",
    }),
    threshold: 20,
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    periods: 3,
    runbook: "approvals-that-collapse",
    impact: "Less than a fifth of all authorizations is approved: merchants decline the cards.",
  });
  addLoopsStopped(alarms);
  const addLate = (id: string, folder: FunctionName, limit: Duration, impact: string) =>
    alarms.add(id, {
      metric: own("DeliveryLag", "p90", { function: folder }),
      threshold: limit.toMilliseconds(),
      periods: 3,
      runbook: "late-deliveries",
      impact,
    });
  addLate(
    "CallbacksLate",
    "callback-delivery",
    Duration.minutes(1),
    "One callback in ten arrives more than a minute after its event, although its receiver answers.",
  );
  addLate(
    "AlertsLate",
    "alert-delivery",
    Duration.seconds(30),
    "One passcode callback in ten arrives more than 30 seconds late, although its receiver answers: cardholders abandon purchases.",
  );
  const addAny = (id: MetricName, runbook: string, impact: string) =>
    alarms.add(id, { metric: own(id, "Sum"), threshold: 0, runbook, impact });
  addAny(
    "DepositEventsRefused",
    "refused-deposit-events",
    "A bank's report of a deposit contradicts the ledger: money may be missing from an account.",
  );
  addAny(
    "DepositsSuspended",
    "suspense",
    "A deposit could not be credited to a Card or Wallet: its money waits until an operator assigns or returns it.",
  );
  addAny(
    "WritesGivenUp",
    "contended-writes",
    "Writes failed because of repeated conflicts on the same items: requests got 503, or events wait for their next attempt.",
  );
}

const operations = [
  Operation.GET_ITEM,
  Operation.BATCH_GET_ITEM,
  Operation.QUERY,
  Operation.PUT_ITEM,
  Operation.UPDATE_ITEM,
  Operation.DELETE_ITEM,
  Operation.TRANSACT_WRITE_ITEMS,
];

/** An on-demand table throttles for a hot item or partition, not for capacity. */
export function addTableAlarms(alarms: Alarms, tables: Readonly<Record<string, ITable>>) {
  for (const [name, table] of Object.entries(tables)) {
    alarms.add(`${name}Throttled`, {
      metric: table.metricThrottledRequestsForOperations({ operations, period: alarmPeriod }),
      threshold: 10,
      runbook: "tables-that-throttle",
      impact: "The table throttles: requests are slow or get 503. Look for one busy Card, Wallet or Program.",
    });
  }
}
