import { ArnFormat, Duration, Stack } from "aws-cdk-lib";
import type { Stage as ApiStage } from "aws-cdk-lib/aws-apigateway";
import { Metric, Stats } from "aws-cdk-lib/aws-cloudwatch";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from "aws-cdk-lib/aws-wafv2";
import { Construct } from "constructs";
import type { Settings } from "../../environments.ts";
import { type Alarms, alarmPeriod } from "../operations/alarms.ts";

export interface WebAclProps {
  readonly settings: Settings;
  readonly stages: Readonly<Record<string, ApiStage>>;
  readonly logKey: IKey;
  readonly alarms: Alarms;
}

const managedRules = ["AWSManagedRulesAmazonIpReputationList", "AWSManagedRulesKnownBadInputsRuleSet"];
const rateRule = "RequestsFromOneAddress";
const rateWindow = Duration.minutes(5);

/**
 * Limit per address and window. Tenants may share an address, so it allows four Programs of the
 * highest tier, but at most half of the API's throttle.
 */
function requestsFromOneAddress({ rateLimits, throttle }: Settings): number {
  const { reads, writes, fundsMoves } = rateLimits.highest;
  const perSecond = Math.min(4 * (reads + writes + fundsMoves), throttle.requestsPerSecond / 2);
  return Math.floor(perSecond * rateWindow.toSeconds());
}

/** Counts requests that one rule or the whole firewall blocked. */
export function blockedRequests({ name, region }: Settings, rule = "ALL"): Metric {
  return new Metric({
    namespace: "AWS/WAFV2",
    metricName: "BlockedRequests",
    dimensionsMap: { WebACL: `card-issuing-${name}`, Rule: rule, Region: region },
    statistic: Stats.SUM,
    period: alarmPeriod,
    label: rule,
  });
}

/**
 * Blocks bad reputations, known exploits and floods. AWS's common rule set is left out: it blocks
 * callback URLs and bodies above 8 KB, which the contract allows.
 */
export class WebAcl extends Construct {
  constructor(scope: Construct, id: string, props: WebAclProps) {
    super(scope, id);
    const acl = new CfnWebACL(this, "Acl", {
      scope: "REGIONAL",
      defaultAction: { allow: {} },
      visibilityConfig: visibility(`card-issuing-${props.settings.name}`),
      rules: [
        ...managedRules.map((name, priority) => ({
          name,
          priority,
          overrideAction: { none: {} },
          statement: { managedRuleGroupStatement: { vendorName: "AWS", name } },
          visibilityConfig: visibility(name),
        })),
        rateLimit(props.settings, managedRules.length),
      ],
    });
    for (const [name, stage] of Object.entries(props.stages)) {
      new CfnWebACLAssociation(this, `${name}Association`, {
        resourceArn: stage.stageArn,
        webAclArn: acl.attrArn,
      });
    }
    props.alarms.add("AddressBlocked", {
      metric: blockedRequests(props.settings, rateRule),
      severity: "ticket",
      threshold: 0,
      runbook: "an-address-that-sends-too-much",
      impact:
        "An address exceeded the firewall's rate limit. All of its requests are blocked until it sends less.",
    });
    const log = new LogGroup(this, "Log", {
      // WAF requires this prefix.
      logGroupName: `aws-waf-logs-card-issuing-${props.settings.name}`,
      retention: props.settings.logRetentionDays,
      encryptionKey: props.logKey,
      removalPolicy: props.settings.removalPolicy,
    });
    new CfnLoggingConfiguration(this, "Logging", {
      resourceArn: acl.attrArn,
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
}

function visibility(metricName: string): CfnWebACL.VisibilityConfigProperty {
  // Sampled requests would show API keys in the console.
  return { cloudWatchMetricsEnabled: true, metricName, sampledRequestsEnabled: false };
}

function rateLimit(settings: Settings, priority: number): CfnWebACL.RuleProperty {
  return {
    name: rateRule,
    priority,
    action: { block: {} },
    statement: {
      rateBasedStatement: {
        aggregateKeyType: "IP",
        evaluationWindowSec: rateWindow.toSeconds(),
        limit: requestsFromOneAddress(settings),
      },
    },
    visibilityConfig: visibility(rateRule),
  };
}
