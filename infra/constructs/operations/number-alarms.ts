import { Duration } from "aws-cdk-lib";
import { MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import type { EnvironmentName } from "../../environments.ts";
import type { Alarms } from "./alarms.ts";
import { ownMetric } from "./graph.ts";

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
