import { ArnFormat, Stack } from "aws-cdk-lib";
import type { Stage as ApiStage } from "aws-cdk-lib/aws-apigateway";
import type { IKey } from "aws-cdk-lib/aws-kms";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from "aws-cdk-lib/aws-wafv2";
import { Construct } from "constructs";
import type { Settings } from "../environments.ts";

export interface WebAclProps {
  readonly settings: Settings;
  readonly stages: Readonly<Record<string, ApiStage>>;
  readonly logKey: IKey;
}

/**
 * The firewall in front of the APIs: hosts of ill repute and known exploits. The common rule set is left out on purpose: it
 * refuses bodies that the contract accepts, or answers with a fault of its own (a callback URL, a body above 8 KB).
 */
export class WebAcl extends Construct {
  constructor(scope: Construct, id: string, props: WebAclProps) {
    super(scope, id);
    const acl = new CfnWebACL(this, "Acl", {
      scope: "REGIONAL",
      defaultAction: { allow: {} },
      visibilityConfig: visibility("WebAcl"),
      rules: ["AWSManagedRulesAmazonIpReputationList", "AWSManagedRulesKnownBadInputsRuleSet"].map(
        (name, priority) => ({
          name,
          priority,
          overrideAction: { none: {} },
          statement: { managedRuleGroupStatement: { vendorName: "AWS", name } },
          visibilityConfig: visibility(name),
        }),
      ),
    });
    for (const [name, stage] of Object.entries(props.stages)) {
      new CfnWebACLAssociation(this, `${name}Association`, {
        resourceArn: stage.stageArn,
        webAclArn: acl.attrArn,
      });
    }
    const log = new LogGroup(this, "Log", {
      // WAF delivers only to groups of this prefix.
      logGroupName: `aws-waf-logs-card-issuing-${props.settings.name}`,
      retention: props.settings.logRetentionDays,
      encryptionKey: props.logKey,
      removalPolicy: props.settings.removalPolicy,
    });
    new CfnLoggingConfiguration(this, "Logging", {
      resourceArn: acl.attrArn,
      // WAF wants the group's plain ARN; the attribute ends in `:*`.
      logDestinationConfigs: [
        Stack.of(this).formatArn({
          service: "logs",
          resource: "log-group",
          resourceName: log.logGroupName,
          arnFormat: ArnFormat.COLON_RESOURCE_NAME,
        }),
      ],
      // The key is a credential, and so is the token in a one-time passcode's path.
      redactedFields: [{ singleHeader: { Name: "x-api-key" } }, { uriPath: {} }, { queryString: {} }],
    });
  }
}

function visibility(metricName: string): CfnWebACL.VisibilityConfigProperty {
  // Samples would keep whole requests, with their keys, for whoever opens the console.
  return { cloudWatchMetricsEnabled: true, metricName, sampledRequestsEnabled: false };
}
