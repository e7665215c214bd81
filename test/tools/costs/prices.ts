/** One thing that AWS bills, and where its price stands. */
export interface Price {
  readonly service: string;
  readonly usd: number;
  readonly per: string;
  /** From AWS's price list, with its date; absent if the price is not verified. */
  readonly listed?: { readonly usage: string; readonly published: string };
  /** AWS's own page about it. */
  readonly page: string;
}

/** Europe (Ireland), where the environments are. */
export const priceRegion = "eu-west-1";
/** The day on which the prices were looked up. */
export const pricesAsOf = "2026-11-20";

const aws = (path: string) => `https://aws.amazon.com/${path}/pricing/`;
const listed = (usage: string, published: string) => ({ listed: { usage, published } });

/**
 * List prices in dollars, first tier. Those with a usage type are AWS's, the others unverified:
 * https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/<service>/current/eu-west-1/index.json
 */
export const prices = {
  apiRequests: {
    service: "API Gateway",
    usd: 3.5e-6,
    per: "request of a REST API",
    ...listed("EU-ApiGatewayRequest", "2026-09-21"),
    page: aws("api-gateway"),
  },
  lambdaRequests: {
    service: "Lambda",
    usd: 0.2e-6,
    per: "run",
    ...listed("EU-Request-ARM", "2026-10-01"),
    page: aws("lambda"),
  },
  lambdaGbSeconds: {
    service: "Lambda",
    usd: 1.33334e-5,
    per: "GB second on arm64",
    ...listed("EU-Lambda-GB-Second-ARM", "2026-10-01"),
    page: aws("lambda"),
  },
  // A month of 730 hours, at 0.0000033334 a second.
  warmGbMonths: {
    service: "Lambda",
    usd: 8.76,
    per: "GB and month of warm environments on arm64",
    page: aws("lambda"),
  },
  readUnits: {
    service: "DynamoDB",
    usd: 0.1415e-6,
    per: "read request unit",
    ...listed("EU-ReadRequestUnits", "2026-09-11"),
    page: aws("dynamodb"),
  },
  writeUnits: {
    service: "DynamoDB",
    usd: 0.705e-6,
    per: "write request unit",
    ...listed("EU-WriteRequestUnits", "2026-09-11"),
    page: aws("dynamodb"),
  },
  tableGbMonths: {
    service: "DynamoDB",
    usd: 0.283,
    per: "GB and month",
    ...listed("EU-TimedStorage-ByteHrs", "2026-09-11"),
    page: aws("dynamodb"),
  },
  backupGbMonths: {
    service: "DynamoDB",
    usd: 0.22,
    per: "GB and month of point-in-time recovery",
    ...listed("EU-TimedPITRStorage-ByteHrs", "2026-09-11"),
    page: aws("dynamodb"),
  },
  queueRequests: {
    service: "SQS",
    usd: 0.4e-6,
    per: "request of a standard queue",
    ...listed("EU-Requests-Tier1", "2026-09-11"),
    page: aws("sqs"),
  },
  busEvents: {
    service: "EventBridge",
    usd: 1e-6,
    per: "custom event of up to 64 KB",
    page: aws("eventbridge"),
  },
  logGb: {
    service: "CloudWatch",
    usd: 0.57,
    per: "GB of log lines",
    ...listed("EU-DataProcessing-Bytes", "2026-09-22"),
    page: aws("cloudwatch"),
  },
  logGbMonths: {
    service: "CloudWatch",
    usd: 0.03,
    per: "GB and month of log lines kept",
    ...listed("EU-TimedStorage-ByteHrs", "2026-09-22"),
    page: aws("cloudwatch"),
  },
  metricMonths: {
    service: "CloudWatch",
    usd: 0.3,
    per: "own metric and month",
    ...listed("EU-CW:MetricMonitorUsage", "2026-09-22"),
    page: aws("cloudwatch"),
  },
  alarmMonths: {
    service: "CloudWatch",
    usd: 0.1,
    per: "metric of an alarm and month",
    ...listed("EU-CW:AlarmMonitorUsage", "2026-09-22"),
    page: aws("cloudwatch"),
  },
  dashboardMonths: { service: "CloudWatch", usd: 3, per: "dashboard and month", page: aws("cloudwatch") },
  traces: { service: "X-Ray", usd: 5e-6, per: "trace recorded", page: aws("xray") },
  firewallRequests: { service: "WAF", usd: 0.6e-6, per: "request", page: aws("waf") },
  firewallMonths: { service: "WAF", usd: 5, per: "web ACL and month", page: aws("waf") },
  firewallRuleMonths: { service: "WAF", usd: 1, per: "rule and month", page: aws("waf") },
  keyMonths: { service: "KMS and Secrets Manager", usd: 1, per: "KMS key and month", page: aws("kms") },
  keyRequests: { service: "KMS and Secrets Manager", usd: 3e-6, per: "KMS request", page: aws("kms") },
  secretMonths: {
    service: "KMS and Secrets Manager",
    usd: 0.4,
    per: "secret and month",
    ...listed("EU-AWSSecretsManager-Secrets", "2026-09-11"),
    page: aws("secrets-manager"),
  },
  sentGb: {
    service: "Data transfer",
    usd: 0.09,
    per: "GB sent to the Internet",
    ...listed("EU-DataTransfer-Out-Bytes", "2026-09-16"),
    page: aws("ec2/on-demand").replace("pricing/", ""),
  },
} as const satisfies Record<string, Price>;

export type Meter = keyof typeof prices;

/** How much is used of what is billed. */
export type Usage = Readonly<Partial<Record<Meter, number>>>;

export function usdOf(usage: Usage): number {
  return Object.entries(usage).reduce((sum, [meter, amount]) => sum + amount * prices[meter as Meter].usd, 0);
}

/** Dollars by service, in the order of the table above. */
export function usdByService(usage: Usage): Map<string, number> {
  const byService = new Map<string, number>();
  for (const [meter, price] of Object.entries(prices)) {
    const usd = (usage[meter as Meter] ?? 0) * price.usd;
    byService.set(price.service, (byService.get(price.service) ?? 0) + usd);
  }
  return byService;
}

export function added(...usages: readonly Usage[]): Usage {
  const sum: Partial<Record<Meter, number>> = {};
  for (const usage of usages) {
    for (const [meter, amount] of Object.entries(usage) as [Meter, number][])
      sum[meter] = (sum[meter] ?? 0) + amount;
  }
  return sum;
}

export function times(factor: number, usage: Usage): Usage {
  return Object.fromEntries(Object.entries(usage).map(([meter, amount]) => [meter, amount * factor]));
}
