import { ArnFormat, Duration, Stack } from "aws-cdk-lib";
import type { Stage as ApiStage } from "aws-cdk-lib/aws-apigateway";
import type { Metric } from "aws-cdk-lib/aws-cloudwatch";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { CfnIPSet, CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from "aws-cdk-lib/aws-wafv2";
import { Construct } from "constructs";
import type { Settings } from "../../environments.ts";
import { type Alarms, awsMetric, eachPeriod } from "../operations/alarms.ts";
import { OwnLog } from "../operations/telemetry.ts";

interface WebAclProps {
  readonly settings: Settings;
  readonly limit: AddressLimit;
  readonly stages: Readonly<Record<string, ApiStage>>;
  readonly logKey: IKey;
  readonly alarms: Alarms;
}

/** What one address may send, and from which addresses anything at all. */
interface AddressLimit {
  /** Part of the firewall's name, after the environment's, and of its alarm's. */
  readonly name: "" | "-webhooks";
  readonly alarm: string;
  readonly requests: number;
  readonly window: Duration;
  /** The answer above the limit, if not 403. */
  readonly status?: number;
  readonly ranges?: readonly string[] | undefined;
  /** Whether anybody can connect: elsewhere, the handshake takes known certificates alone. */
  readonly isOpen: boolean;
}

const exploits = "AWSManagedRulesKnownBadInputsRuleSet";
const reputation = "AWSManagedRulesAmazonIpReputationList";
const rateRule = "RequestsFromOneAddress";
const foreignRule = "AddressesOfNobody";
/** Whatever a rule does but let pass, also one that only counts. */
const stopped = ["BLOCK", "COUNT", "EXCLUDED_AS_COUNT", "CAPTCHA", "CHALLENGE"].map((Action) => ({
  ActionCondition: { Action },
}));

/**
 * Limit per address and window. Tenants may share an address, so it allows four Programs of the
 * highest tier, but at most half of the API's throttle.
 */
export function limitOfCallers({ rateLimits, throttle }: Settings): AddressLimit {
  const { reads, writes, fundsMoves } = rateLimits.highest;
  const perSecond = Math.min(4 * (reads + writes + fundsMoves), throttle.requestsPerSecond / 2);
  const window = Duration.minutes(5);
  const requests = Math.floor(perSecond * window.toSeconds());
  return { name: "", alarm: "AddressBlocked", requests, window, isOpen: false };
}

/** A sender above its limit gets 429: it repeats what it sent, later. */
export function limitOfSenders({ webhookSenders: { perSecond, ranges } }: Settings): AddressLimit {
  const window = Duration.minutes(1);
  const requests = perSecond * window.toSeconds();
  const above = { name: "-webhooks", alarm: "WebhookSenderBlocked", requests, window, status: 429 } as const;
  return { ...above, ranges, isOpen: true };
}

/** Counts requests that one rule or the whole firewall blocked. */
export function blockedRequests(
  { name, region }: Settings,
  rule = "ALL",
  acl: AddressLimit["name"] = "",
): Metric {
  const dimensions = { WebACL: `card-issuing-${name}${acl}`, Rule: rule, Region: region };
  return awsMetric("AWS/WAFV2", "BlockedRequests", dimensions, { ...eachPeriod, label: `${rule}${acl}` });
}

/**
 * Blocks known exploits and floods, and bad reputations where no certificate is asked for. AWS's
 * common rule set is left out: it blocks callback URLs and bodies above 8 KB, which the contract
 * allows.
 */
export class WebAcl extends Construct {
  constructor(scope: Construct, id: string, props: WebAclProps) {
    super(scope, id);
    const { settings, limit } = props;
    const name = `card-issuing-${settings.name}${limit.name}`;
    const foreign = limit.ranges ? [this.onlyFrom(limit.ranges)] : [];
    const acl = new CfnWebACL(this, "Acl", {
      scope: "REGIONAL",
      defaultAction: { allow: {} },
      visibilityConfig: visibility(name),
      rules: [
        ...foreign,
        ...[...(limit.isOpen ? [reputation] : []), exploits].map((name) => ({
          name,
          overrideAction: { none: {} },
          statement: { managedRuleGroupStatement: { vendorName: "AWS", name } },
          visibilityConfig: visibility(name),
        })),
        rateLimit(limit),
      ].map((rule, priority) => ({ ...rule, priority })),
    });
    for (const [name, stage] of Object.entries(props.stages)) {
      new CfnWebACLAssociation(this, `${name}Association`, {
        resourceArn: stage.stageArn,
        webAclArn: acl.attrArn,
      });
    }
    props.alarms.add(limit.alarm, {
      metric: blockedRequests(settings, rateRule, limit.name),
      severity: "ticket",
      runbook: "an-address-that-sends-too-much",
      impact:
        "An address exceeded the firewall's rate limit. All of its requests are blocked until it sends less.",
    });
    // WAF requires this prefix.
    const log = new OwnLog(this, "Log", settings, props.logKey, `aws-waf-logs-${name}`);
    new CfnLoggingConfiguration(this, "Logging", {
      resourceArn: acl.attrArn,
      // The access log has each request that passes.
      loggingFilter: {
        DefaultBehavior: "DROP",
        Filters: [{ Behavior: "KEEP", Requirement: "MEETS_ANY", Conditions: stopped }],
      },
      // WAF requires the ARN without the `:*` suffix of the attribute.
      logDestinationConfigs: [
        Stack.of(this).formatArn({
          service: "logs",
          resource: "log-group",
          resourceName: log.logGroupName,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
      ],
      // API keys and the tokens in passcode paths are credentials.
      redactedFields: [{ singleHeader: { Name: "x-api-key" } }, { uriPath: {} }, { queryString: {} }],
    });
  }

  /** The hosts have IPv4 addresses only. */
  private onlyFrom(ranges: readonly string[]): Rule {
    const { attrArn } = new CfnIPSet(this, "Senders", {
      scope: "REGIONAL",
      ipAddressVersion: "IPV4",
      addresses: [...ranges],
    });
    return {
      name: foreignRule,
      action: { block: {} },
      statement: { notStatement: { statement: { ipSetReferenceStatement: { arn: attrArn } } } },
      visibilityConfig: visibility(foreignRule),
    };
  }
}

function visibility(metricName: string): CfnWebACL.VisibilityConfigProperty {
  // Sampled requests would show API keys in the console.
  return { cloudWatchMetricsEnabled: true, metricName, sampledRequestsEnabled: false };
}

type Rule = Omit<CfnWebACL.RuleProperty, "priority">;

function rateLimit({ requests, window, status }: AddressLimit): Rule {
  return {
    name: rateRule,
    action: { block: status === undefined ? {} : { customResponse: { responseCode: status } } },
    statement: {
      rateBasedStatement: {
        aggregateKeyType: "IP",
        evaluationWindowSec: window.toSeconds(),
        limit: requests,
      },
    },
    visibilityConfig: visibility(rateRule),
  };
}
