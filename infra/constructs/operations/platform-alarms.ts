import { Duration } from "aws-cdk-lib";
import { MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { MetricName } from "../../../shared/contract/metrics.ts";
import type { EnvironmentName, Settings } from "../../environments.ts";
import type { KeptTable } from "../data-table.ts";
import type { FunctionName } from "../table-permissions.ts";
import {
  type Alarms,
  alarmPeriod,
  eachPeriod,
  ifOften,
  numbered,
  type Severity,
  silence,
  toPercent,
} from "./alarms.ts";
import { ownMetric } from "./graph.ts";

interface PlatformAlarmsProps {
  readonly settings: Pick<Settings, "name" | "silence">;
  readonly alarms: Alarms;
  readonly processor: LambdaFunction;
}

/** Fewer authorizations or deliveries in five minutes are not representative. */
const leastAuthorizations = 20;
const leastDeliveries = 20;

/** Adds alarms on what customers experience, whichever part fails. */
export function addPlatformAlarms({ settings, alarms, processor }: PlatformAlarmsProps) {
  const own = ownMetric.bind(undefined, settings.name);
  addAuthorizationAlarms({ settings, alarms, processor });
  const addLate = (id: string, folder: FunctionName, limit: Duration, severity: Severity, impact: string) => {
    const often = own("DeliveryLag", "SampleCount", { function: folder });
    const lag = own("DeliveryLag", "p90", { function: folder });
    alarms.add(id, {
      metric: ifOften(often, leastDeliveries, lag, "Late deliveries in milliseconds"),
      severity,
      above: limit.toMilliseconds(),
      periods: 3,
      runbook: "late-deliveries",
      impact,
    });
  };
  addLate(
    "CallbacksLate",
    "callback-delivery",
    Duration.minutes(1),
    "ticket",
    "One callback in ten arrives more than a minute after its event, although its receiver answers.",
  );
  addLate(
    "AlertsLate",
    "alert-delivery",
    Duration.seconds(30),
    "page",
    "One passcode callback in ten arrives more than 30 seconds late, although its receiver answers: cardholders abandon purchases.",
  );
  const addAny = (id: MetricName, runbook: string, impact: string) =>
    alarms.add(id, { metric: own(id, "Sum"), severity: "ticket", runbook, impact });
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
    "PaymentsUnreported",
    "unreported-payments",
    "A bank has not said for five business days what became of a payment: its money stays held.",
  );
  alarms.add("WritesGivenUp", {
    metric: own("WritesGivenUp", "Sum"),
    severity: "ticket",
    above: 4,
    periods: 3,
    breaches: 2,
    runbook: "contended-writes",
    impact:
      "Writes fail again and again because of conflicts on the same items: requests get 503, or events wait for their next attempt.",
  });
}

function addAuthorizationAlarms({ settings, alarms, processor }: PlatformAlarmsProps) {
  const own = ownMetric.bind(undefined, settings.name);
  const errors = processor.metricErrors({ period: alarmPeriod });
  const throttles = processor.metricThrottles({ period: alarmPeriod });
  const invocations = processor.metricInvocations({ period: alarmPeriod });
  alarms.add("AuthorizationsFailing", {
    // A throttled run is no invocation.
    metric: toPercent({
      part: { errors, throttles },
      whole: { invocations, throttles },
      least: 5,
      label: "Failed runs in percent",
    }),
    severity: "page",
    above: 1,
    runbook: "authorizations-that-fail",
    impact: "The card network's authorizations get no answer: merchants decline the cards.",
  });
  const decided = own("Authorizations", "Sum");
  alarms.add("ApprovalsCollapsed", {
    metric: new MathExpression({
      expression: `IF(decided >= ${leastAuthorizations}, 100 * approved / decided, 100)`,
      usingMetrics: { decided, approved: own("AuthorizationsApproved", "Sum") },
      period: alarmPeriod,
      label: "Approved authorizations in percent",
    }),
    severity: "page",
    below: 20,
    periods: 3,
    runbook: "approvals-that-collapse",
    impact: "Less than a fifth of all authorizations is approved: merchants decline the cards.",
  });
  if (settings.silence?.authorizations === undefined) return;
  alarms.add("AuthorizationsSilent", {
    metric: decided,
    ...silence(settings.silence.authorizations),
    impact: "The card network has sent no authorization for longer than it ever should: it may not reach us.",
  });
}

/** An on-demand table throttles for a hot item or partition, not for capacity. */
export function addTableAlarms(alarms: Alarms, tables: Readonly<Record<string, KeptTable>>) {
  for (const [name, table] of Object.entries(tables)) {
    const { tableName: TableName, indexNames } = table;
    // A table's figures leave out its indexes'. They have data only while something is throttled.
    const throttling = [{}, ...indexNames.map((GlobalSecondaryIndexName) => ({ GlobalSecondaryIndexName }))];
    const throttled = (metricName: string, ids: string) =>
      numbered(
        ids,
        throttling.map((index) =>
          table.metric(metricName, { dimensionsMap: { TableName, ...index }, ...eachPeriod }),
        ),
      );
    alarms.add(`${name}Throttled`, {
      metric: toPercent({
        part: {
          ...throttled("ReadThrottleEvents", "reading"),
          ...throttled("WriteThrottleEvents", "writing"),
        },
        whole: {
          reads: table.metricConsumedReadCapacityUnits(eachPeriod),
          writes: table.metricConsumedWriteCapacityUnits(eachPeriod),
        },
        least: 50,
        label: "Throttled reads and writes in percent of units",
      }),
      severity: "page",
      above: 1,
      periods: 3,
      breaches: 2,
      runbook: "tables-that-throttle",
      impact:
        "For ten minutes, the table throttles: requests are slow or get 503. Look for one busy Card, Wallet or Program.",
    });
  }
}

/** Fewer card numbers in a day say nothing of their BINs. */
const leastNumbers = 20;
const runbook = "scarce-card-numbers";

/** Adds alarms on BINs that fill up: long before the end, and at it. */
export function addNumberAlarms(alarms: Alarms, environment: EnvironmentName) {
  const own = ownMetric.bind(undefined, environment);
  alarms.add("NumbersScarce", {
    metric: new MathExpression({
      expression: `IF(drawn >= ${leastNumbers}, 100 * taken / (drawn + taken), 0)`,
      usingMetrics: { drawn: own("NumbersDrawn", "Sum"), taken: own("NumberCollisions", "Sum") },
      period: Duration.days(1),
      label: "Drawn card numbers that other Cards have, in percent",
    }),
    severity: "ticket",
    above: 30,
    runbook,
    impact: "A third of a BIN's card numbers is given out: give its Programs another BIN.",
  });
  alarms.add("NumbersExhausted", {
    metric: own("NumbersExhausted", "Sum"),
    severity: "ticket",
    runbook,
    impact: "A Card gets no number: its BIN has hardly one left. Its reveals, PIN and production get 503.",
  });
}
