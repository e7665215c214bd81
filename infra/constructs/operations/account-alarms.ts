import { Duration, type Stack } from "aws-cdk-lib";
import { type IMetric, MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import { CfnRule } from "aws-cdk-lib/aws-events";
import type { EnvironmentName } from "../../environments.ts";
import { functionName } from "../names.ts";
import { type Alarms, accountPage, addUp, alarmPeriod, awsMetric, numbered, toPercent } from "./alarms.ts";
import { kmsCalls } from "./graph.ts";

const minute = Duration.minutes(1);

/** Adds alarms on what all that runs in the account and region shares. */
export function addAccountAlarms(alarms: Alarms, environment: EnvironmentName) {
  addQuotaAlarm(
    alarms,
    "Concurrency",
    awsMetric("AWS/Lambda", "ConcurrentExecutions", {}, { statistic: "Maximum", period: minute }),
    "Functions use four fifths of the account's concurrency: soon callers get 503 and the network no answers.",
  );
  addQuotaAlarm(
    alarms,
    "KmsSymmetric",
    kmsCalls("CryptographicOperationsSymmetric", minute),
    "KMS calls use four fifths of the account's quota: soon tables, secrets and card numbers cannot be read.",
  );
  addQuotaAlarm(
    alarms,
    "KmsElliptic",
    kmsCalls("CryptographicOperationsEcc", minute),
    "KMS calls use four fifths of the account's quota: soon no certificate is issued and no PIN is read.",
  );
  addFunctionsThrottled(alarms, environment);
  addLoopsStopped(alarms);
  addReputationAlarm(alarms, "EmailsBounce", "Reputation.BounceRate", 0.05);
  addReputationAlarm(alarms, "EmailComplaints", "Reputation.ComplaintRate", 0.001);
}

/** As Service Quotas' own alarms do it: the quota as it is, also after it was raised. */
function addQuotaAlarm(alarms: Alarms, id: string, usage: IMetric, impact: string) {
  alarms.add(`${id}NearQuota`, {
    metric: new MathExpression({
      expression: "100 * usage / SERVICE_QUOTA(usage)",
      usingMetrics: { usage },
      period: minute,
      label: "Percent of the quota",
    }),
    severity: "page",
    above: 80,
    periods: 5,
    breaches: 3,
    runbook: `${accountPage}#quotas-that-are-nearly-used-up`,
    impact,
  });
}

/**
 * Functions without concurrency of their own share the account's, so they are throttled together:
 * one alarm looks at two metrics, where one for each function would look at two of each.
 */
function addFunctionsThrottled(alarms: Alarms, environment: EnvironmentName) {
  const throttles = awsMetric("AWS/Lambda", "Throttles");
  const sweeps = awsMetric("AWS/Lambda", "Throttles", {
    FunctionName: functionName(environment, "deadlines"),
  });
  // A sweep that waits for the one before is throttled as intended, and has an alarm of its own.
  const intended = new MathExpression({
    expression: "0 - sweeps",
    usingMetrics: { sweeps },
    period: alarmPeriod,
  });
  const part = { throttles, intended };
  alarms.add("FunctionsThrottled", {
    metric: toPercent({
      part,
      whole: { ...part, invocations: awsMetric("AWS/Lambda", "Invocations") },
      least: 5,
      label: "Throttled runs in percent",
    }),
    severity: "page",
    above: 1,
    periods: 3,
    breaches: 2,
    runbook: "functions-without-concurrency",
    impact: "Lambda throttles functions for ten minutes: the account's concurrency is used up.",
  });
}

/** Lambda stops functions that cause their own invocations, unless their templates allow it. */
function addLoopsStopped(alarms: Alarms) {
  alarms.add("LoopsStopped", {
    metric: awsMetric("AWS/Lambda", "RecursiveInvocationsDropped"),
    severity: "ticket",
    runbook: "loops-that-lambda-stops",
    impact: "Lambda stopped a function that causes its own invocations: its message waits as a dead letter.",
  });
}

/** From these rates on, SES reviews the account, and stops it at about twice as much. */
function addReputationAlarm(alarms: Alarms, id: string, metricName: string, above: number) {
  alarms.add(id, {
    metric: awsMetric("AWS/SES", metricName, {}, { statistic: "Maximum", period: Duration.hours(1) }),
    severity: "ticket",
    above,
    // Without emails there is no new rate.
    ifMissing: "ignore",
    runbook: `${accountPage}#emails-that-come-back`,
    impact:
      "Too many emails come back or are complaints: SES may stop sending passcodes' and certificates' reminders.",
  });
}

const days = 30;

/** ACM renews a certificate 60 days before its end, if its DNS record is still there. */
export function addCertificateAlarm(alarms: Alarms, id: string, certificateArn: string) {
  alarms.add(`${id}CertificateEnds`, {
    metric: awsMetric(
      "AWS/CertificateManager",
      "DaysToExpiry",
      { CertificateArn: certificateArn },
      { statistic: "Minimum", period: Duration.days(1) },
    ),
    severity: "ticket",
    below: days,
    // ACM reports twice a day, and no more once the certificate has ended.
    ifMissing: "ignore",
    runbook: `${accountPage}#certificates-of-hosts`,
    impact: `In less than ${days} days the host's certificate ends, and nobody can connect.`,
  });
}

/** CloudWatch takes ten metrics in an alarm. */
const mostInAlarm = 10;

/** Adds alarms on events that reached neither their target nor a dead-letter queue. */
export function addEventAlarms(stack: Stack, alarms: Alarms, id: string, impact: string) {
  const rules = stack.node.findAll().filter((one) => one instanceof CfnRule);
  for (let first = 0; first < rules.length; first += mostInAlarm) {
    const failed = rules.slice(first, first + mostInAlarm).map((rule) => {
      const EventBusName = isOfDefaultBus(rule) ? undefined : String(rule.eventBusName);
      const dimensions = { RuleName: rule.ref, ...(EventBusName && { EventBusName }) };
      return awsMetric("AWS/Events", "FailedInvocations", dimensions);
    });
    const usingMetrics = numbered("m", failed);
    alarms.add(`${id}${first === 0 ? "" : first / mostInAlarm + 1}`, {
      metric: new MathExpression({
        expression: addUp(usingMetrics),
        usingMetrics,
        period: alarmPeriod,
        label: "Events without delivery",
      }),
      severity: "page",
      runbook: `${accountPage}#events-that-are-not-delivered`,
      impact,
    });
  }
}

function isOfDefaultBus({ eventBusName }: CfnRule): boolean {
  return eventBusName === undefined || eventBusName === "default";
}
