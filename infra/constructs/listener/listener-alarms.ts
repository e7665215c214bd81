import { Duration } from "aws-cdk-lib";
import { type Alarm, MathExpression, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { FargateService } from "aws-cdk-lib/aws-ecs";
import type { NetworkLoadBalancer, NetworkTargetGroup } from "aws-cdk-lib/aws-elasticloadbalancingv2";
import type { Settings } from "../../environments.ts";
import { type Alarms, addUp, awsMetric, numbered, silence, toPercent } from "../operations/alarms.ts";
import { ownMetric } from "../operations/graph.ts";
import type { ListenerSettings } from "./listener-settings.ts";

const page = "runbook-listener.md";
const minute = Duration.minutes(1);

interface ListenerAlarmsProps {
  readonly environment: Settings["name"];
  readonly listener: ListenerSettings;
  readonly balancer: NetworkLoadBalancer;
  readonly targets: NetworkTargetGroup;
}

/** On what the card network meets. A deployment that sets one of them off is rolled back. */
export function addServiceAlarms(
  alarms: Alarms,
  { environment, listener, balancer, targets }: ListenerAlarmsProps,
): readonly Alarm[] {
  const own = ownMetric.bind(undefined, environment);
  const unhealthy = alarms.add("ListenersUnhealthy", {
    metric: awsMetric(
      "AWS/NetworkELB",
      "UnHealthyHostCount",
      { LoadBalancer: balancer.loadBalancerFullName, TargetGroup: targets.targetGroupFullName },
      { statistic: Stats.MAXIMUM, period: minute },
    ),
    severity: "page",
    periods: 5,
    breaches: 3,
    runbook: `${page}#listeners-that-are-unhealthy`,
    impact: "A listener of the card network cannot invoke the platform's functions, or does not answer.",
  });
  const unanswered = alarms.add("MessagesUnanswered", {
    metric: toPercent({
      part: {
        late: own("MessagesUnanswered", Stats.SUM, { reason: "late" }),
        failed: own("MessagesUnanswered", Stats.SUM, { reason: "failed" }),
      },
      whole: { received: own("MessagesReceived", Stats.SUM) },
      least: 5,
      label: "Messages without an answer in percent",
    }),
    severity: "page",
    above: 1,
    runbook: `${page}#messages-without-an-answer`,
    impact: "The card network's messages get no answer: it stands in or declines the cards.",
  });
  alarms.add("ListenerCertificateExpires", {
    metric: own("ListenerCertificateDays", Stats.MINIMUM),
    severity: "ticket",
    below: 21,
    periods: 3,
    runbook: `${page}#the-listeners-certificate`,
    impact: "In three weeks the card network cannot connect any more: renew the listener's certificate.",
  });
  if (listener.silentMinutes !== undefined)
    alarms.add("NetworkSilent", {
      metric: own("MessagesReceived", Stats.SUM),
      ...silence(listener.silentMinutes),
      runbook: `${page}#a-network-that-is-silent`,
      impact: "No message comes from the card network, not even a test: it may have no connection.",
    });
  return [unhealthy, unanswered];
}

/** One number over all services: a listener that ECS cannot start is missing, not unhealthy. */
export function addTaskAlarm(alarms: Alarms, services: readonly FargateService[]): void {
  const tasks = (metricName: string) =>
    services.map(({ cluster, serviceName }) =>
      awsMetric(
        "ECS/ContainerInsights",
        metricName,
        { ClusterName: cluster.clusterName, ServiceName: serviceName },
        { statistic: Stats.MAXIMUM },
      ),
    );
  const desired = numbered("desired", tasks("DesiredTaskCount"));
  const running = numbered("running", tasks("RunningTaskCount"));
  alarms.add("ListenersMissing", {
    metric: new MathExpression({
      expression: `${addUp(desired)} - ${addUp(running)}`,
      usingMetrics: { ...desired, ...running },
      period: minute,
      label: "Listeners that should run and do not",
    }),
    severity: "page",
    periods: 15,
    runbook: `${page}#listeners-that-are-missing`,
    impact: "Fewer listeners run than should: the card network may lose its last connection.",
  });
}
