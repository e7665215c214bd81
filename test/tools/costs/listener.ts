import { synthesizedListener } from "../../infra/given-listener-stack.ts";
import { type Resource, resourcesOf } from "../../infra/synthesized.ts";
import { amount, dollars, markdownTable } from "./markdown.ts";
import type { Price } from "./prices.ts";
import { metricsOfListener, seriesOf } from "./standing.ts";

const hoursOfMonth = 730;

const page = (path: string) => `https://aws.amazon.com/${path}/pricing/`;

/** What a network's listener is billed by, beside what all environments have. */
export const listenerPrices = {
  processorHours: { service: "Fargate", usd: 0.03238, per: "vCPU hour on arm64", page: page("fargate") },
  memoryHours: { service: "Fargate", usd: 0.00356, per: "GB hour on arm64", page: page("fargate") },
  balancerHours: {
    service: "Network load balancer",
    usd: 0.0252,
    per: "hour",
    page: page("elasticloadbalancing"),
  },
  endpointHours: {
    service: "VPC endpoints",
    usd: 0.011,
    per: "hour of an endpoint in a zone",
    page: page("privatelink"),
  },
  attachmentHours: {
    service: "Transit gateway",
    usd: 0.05,
    per: "hour of an attachment",
    page: page("transit-gateway"),
  },
  metricMonths: { service: "CloudWatch", usd: 0.3, per: "own metric and month", page: page("cloudwatch") },
  alarmMonths: {
    service: "CloudWatch",
    usd: 0.1,
    per: "metric of an alarm and month",
    page: page("cloudwatch"),
  },
  secretMonths: {
    service: "Secrets Manager",
    usd: 0.4,
    per: "secret and month",
    page: page("secrets-manager"),
  },
} as const satisfies Record<string, Price>;

/** Of Container Insights, for a cluster with two services: assumed. */
const insightMetrics = 50;

export type ListenerParts = Readonly<Record<keyof typeof listenerPrices, number>>;

/** A month of the listener's stack, counted in its template with the default settings. */
export function listenerParts(): ListenerParts {
  const { listener } = synthesizedListener({ silentMinutes: 15 });
  const all = (type: string): Resource["Properties"][] =>
    resourcesOf(listener, type).map(([, { Properties }]) => Properties);
  const [task] = all("AWS::ECS::TaskDefinition");
  const listeners = all("AWS::ECS::Service").reduce((sum, { DesiredCount }) => sum + DesiredCount, 0);
  const zones = all("AWS::EC2::VPCEndpoint")
    .filter(({ VpcEndpointType }) => VpcEndpointType === "Interface")
    .reduce((sum, { SubnetIds }) => sum + SubnetIds.length, 0);
  const watched = all("AWS::CloudWatch::Alarm").map(
    ({ Metrics = [{ MetricStat: {} }] }) =>
      Metrics.filter(({ MetricStat }: { MetricStat?: object }) => MetricStat).length,
  );
  return {
    processorHours: (listeners * hoursOfMonth * Number(task.Cpu)) / 1_024,
    memoryHours: (listeners * hoursOfMonth * Number(task.Memory)) / 1_024,
    balancerHours: hoursOfMonth * all("AWS::ElasticLoadBalancingV2::LoadBalancer").length,
    endpointHours: hoursOfMonth * zones,
    attachmentHours: hoursOfMonth * all("AWS::EC2::TransitGatewayAttachment").length,
    metricMonths: metricsOfListener.reduce((sum, name) => sum + seriesOf(name), insightMetrics),
    alarmMonths: watched.reduce((sum, count) => sum + count, 0),
    secretMonths: 1,
  };
}

/** Of docs/costs.md. */
export function listenerTable(listener: ListenerParts): string {
  const parts = Object.entries<Price>(listenerPrices).map(([part, price]) => {
    const count = listener[part as keyof typeof listener];
    return { ...price, count, month: count * price.usd };
  });
  const rows = parts.map(({ service, per, count, usd, month }) => [
    service,
    per,
    amount(count),
    amount(usd),
    dollars(month),
  ]);
  const sum = parts.reduce((total, { month }) => total + month, 0);
  return `A month of the [stack \`listener\`](listener-in-aws.md), if an environment asks for it, with one listener in each of two zones.
These prices are from the pages alone. The metrics of Container Insights are assumed. Bytes, and the line to the network, are
not included; the secret is the listener's certificate.

${markdownTable(["", "for a", "times", "dollars", "dollars a month"], [...rows, ["**sum**", "", "", "", `**${dollars(sum)}**`]])}`;
}
