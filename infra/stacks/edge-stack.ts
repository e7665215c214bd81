import { CfnOutput, CfnParameter, type Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { ApiDomain } from "../constructs/api/domain.ts";
import type { HostedApi } from "../constructs/api/hosted-api.ts";
import { UsagePlans } from "../constructs/api/usage-plans.ts";
import { limitOfCallers, limitOfSenders, WebAcl } from "../constructs/api/web-acl.ts";
import { addCertificateAlarm } from "../constructs/operations/account-alarms.ts";
import type { ServiceFunction } from "../constructs/service-function.ts";
import type { Settings } from "../environments.ts";
import { FunctionStack, type FunctionStackProps } from "./function-stack.ts";

interface EdgeStackProps extends FunctionStackProps {
  readonly platform: HostedApi;
  readonly sandbox: HostedApi | undefined;
  readonly webhooks: HostedApi;
  /** These create usage keys. The operator also moves them, and the sweeper completes its moves. */
  readonly account: ServiceFunction;
  readonly operator: ServiceFunction;
  readonly sweeper: ServiceFunction;
}

/** Hosts, usage plans and firewall of the APIs. Last, because the hosts need a CA to trust. */
export class EdgeStack extends FunctionStack {
  constructor(scope: Construct, id: string, props: EdgeStackProps) {
    const { platform, sandbox, webhooks, account, operator, sweeper, ...others } = props;
    super(scope, id, others);
    const { settings, data, logKey, alarms } = this.functions.props;
    const usagePlans = new UsagePlans(this, "UsagePlans", { settings, platform, sandbox });
    usagePlans.grantAssign(account, "Account");
    usagePlans.grantAdministration(operator, "Operator");
    usagePlans.grantMove(sweeper, "Deadlines");

    const { platformHost, sandboxHost, webhookHost } = settings;
    addCertificateAlarm(alarms, "PlatformHost", platformHost.certificateArn);
    addCertificateAlarm(alarms, "WebhookHost", webhookHost.certificateArn);
    if (sandboxHost) addCertificateAlarm(alarms, "SandboxHost", sandboxHost.certificateArn);
    new WebAcl(this, "WebAcl", {
      settings,
      limit: limitOfCallers(settings),
      stages: {
        Platform: platform.deploymentStage,
        ...(sandbox && { Sandbox: sandbox.deploymentStage }),
      },
      logKey,
      alarms,
    });
    new WebAcl(this, "WebhookAcl", {
      settings,
      limit: limitOfSenders(settings),
      stages: { Webhooks: webhooks.deploymentStage },
      logKey,
      alarms,
    });

    const trusting = {
      truststore: data.buckets.truststore,
      truststoreVersion: truststoreVersion(this, settings),
    };
    const platformDomain = new ApiDomain(this, "PlatformDomain", {
      ...trusting,
      host: platformHost,
      mappings: { v2: platform, ...(sandbox && { "v2/sandbox": sandbox }) },
    });
    new CfnOutput(this, "PlatformBaseUrl", { value: `https://${platformHost.hostName}/v2` });
    const webhookDomain = new ApiDomain(this, "WebhookDomain", {
      host: webhookHost,
      mappings: { v2: webhooks },
    });
    // API Gateway creates one host at a time.
    webhookDomain.node.addDependency(platformDomain);
    if (sandboxHost && sandbox) {
      const sandboxDomain = new ApiDomain(this, "SandboxDomain", {
        ...trusting,
        host: sandboxHost,
        mappings: { v2: sandbox },
      });
      sandboxDomain.node.addDependency(webhookDomain);
      new CfnOutput(this, "SandboxBaseUrl", { value: `https://${sandboxHost.hostName}/v2` });
    }
  }
}

/** Adds the parameter for the truststore's version. The local gateway reads a file instead. */
function truststoreVersion(stack: Stack, settings: Settings): string | undefined {
  if (settings.name === "local") return undefined;
  return new CfnParameter(stack, "TruststoreVersion", {
    description: "S3 version of the clients' CA bundle, which the deploy command uploads.",
    minLength: 1,
  }).valueAsString;
}
