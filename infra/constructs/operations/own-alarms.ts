import { Duration } from "aws-cdk-lib";
import { ComparisonOperator, MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { EnvironmentName } from "../../environments.ts";
import type { FunctionName } from "../service-function.ts";
import { type Alarms, alarmPeriod } from "./alarms.ts";
import { ownMetric } from "./own-metrics.ts";

export interface OwnAlarmsProps {
  readonly environment: EnvironmentName;
  readonly alarms: Alarms;
  /** The function that the card network asks for authorizations. */
  readonly processor: LambdaFunction;
}

/** Fewer in five minutes say nothing about all of them. */
const tellingAuthorizations = 20;

/** Goes off where what the platform is there for goes wrong, whichever part of it is to blame. */
export function addOwnAlarms({ environment, alarms, processor }: OwnAlarmsProps) {
  const own = ownMetric.bind(undefined, environment);
  alarms.add("AuthorizationsFailing", {
    metric: processor.metricErrors({ period: alarmPeriod }),
    threshold: 2,
    runbook: "authorizations-that-fail",
    impact: "The card network's authorizations are not answered: cards are declined at merchants.",
  });
  alarms.add("ApprovalsCollapsed", {
    metric: new MathExpression({
      expression: `IF(decided >= ${tellingAuthorizations}, 100 * approved / decided, 100)`,
      usingMetrics: { decided: own("Authorizations", "Sum"), approved: own("AuthorizationsApproved", "Sum") },
      period: alarmPeriod,
      label: "Approved authorizations in percent",
    }),
    threshold: 20,
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    periods: 3,
    runbook: "approvals-that-collapse",
    impact: "Less than a fifth of all authorizations is approved: cards are declined at merchants.",
  });
  const late = (id: string, folder: FunctionName, limit: Duration, impact: string) =>
    alarms.add(id, {
      metric: own("DeliveryLag", "p90", { function: folder }),
      threshold: limit.toMilliseconds(),
      periods: 3,
      runbook: "late-deliveries",
      impact,
    });
  late(
    "CallbacksLate",
    "callback-delivery",
    Duration.minutes(1),
    "One callback in ten reaches its receiver more than a minute after its event, though the receiver answers.",
  );
  late(
    "AlertsLate",
    "alert-delivery",
    Duration.seconds(30),
    "One passcode's callback in ten comes more than half a minute late, though its receiver answers: purchases are broken off.",
  );
  alarms.add("DepositEventsRefused", {
    metric: own("DepositEventsRefused", "Sum"),
    threshold: 0,
    runbook: "refused-deposit-events",
    impact:
      "What a bank reports of a deposit contradicts the books: money may be there that no account shows.",
  });
  alarms.add("DepositsSuspended", {
    metric: own("DepositsSuspended", "Sum"),
    threshold: 0,
    runbook: "suspense",
    impact:
      "A deposit reached neither a Card nor a Wallet: its money waits until an operator assigns or returns it.",
  });
  alarms.add("WritesGivenUp", {
    metric: own("WritesGivenUp", "Sum"),
    threshold: 0,
    runbook: "contended-writes",
    impact:
      "Writes were given up since others kept writing the same items: calls ended in 503, or events wait for their next attempt.",
  });
}
