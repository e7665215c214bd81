import { Duration, Stack } from "aws-cdk-lib";
import type { MathExpression } from "aws-cdk-lib/aws-cloudwatch";
import { CfnApplication, CfnDeploymentGroup, LambdaDeploymentConfig } from "aws-cdk-lib/aws-codedeploy";
import { PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Alias, type AliasOptions, type CfnAlias, type CfnFunction } from "aws-cdk-lib/aws-lambda";
import { acknowledge } from "./acknowledge.ts";
import { liveAlias } from "./names.ts";
import { type Alarms, awsMetric, eachPeriod, numbered, toPercent } from "./operations/alarms.ts";
import type { ServiceFunction } from "./service-function.ts";

interface LiveOptions extends Pick<AliasOptions, "retryAttempts" | "maxEventAge"> {
  readonly alarms: Alarms;
  /** Default: one, `live`. */
  readonly names?: readonly string[];
  /** Whose failures count: five at most, as an alarm has ten metrics. Default: all. */
  readonly measured?: readonly string[];
  /** A new version with more failures in a minute is taken back. Default: one in twenty. */
  readonly failedPercent?: number;
}

/** Fewer failures in a minute say nothing of a version. */
const leastFailures = 3;
/** A tenth of the invocations for ten minutes, then all. */
const steps = LambdaDeploymentConfig.CANARY_10PERCENT_10MINUTES;

/**
 * Aliases through which alone the function is invoked. A new version gets a tenth of the
 * invocations first, and none if it fails: CodeDeploy moves the aliases, and takes them back at an
 * alarm.
 */
export function addLiveAliases(fn: ServiceFunction, options: LiveOptions): Alias[] {
  const { alarms, names = [liveAlias], measured = names, failedPercent = 5, ...async } = options;
  const { node } = fn;
  const stack = Stack.of(fn);
  const version = fn.currentVersion;
  const aliases = names.map(
    (aliasName) => new Alias(stack, `${node.id}Alias${aliasName}`, { aliasName, version, ...async }),
  );
  const alarm = alarms.add(`${node.id}VersionFailing`, {
    metric: measureFailures(fn, measured),
    above: failedPercent,
    severity: "page",
    runbook: "a-version-that-fails",
    impact: `A new version of ${fn.name} fails. CodeDeploy gives its invocations back to the version before.`,
  });
  const application = new CfnApplication(stack, `${node.id}Steps`, { computePlatform: "Lambda" });
  const role = stepsRole(fn, names);
  for (const alias of aliases) {
    const group = new CfnDeploymentGroup(stack, `${node.id}Steps${alias.aliasName}`, {
      applicationName: application.ref,
      serviceRoleArn: role.roleArn,
      deploymentConfigName: steps.deploymentConfigName,
      deploymentStyle: { deploymentType: "BLUE_GREEN", deploymentOption: "WITH_TRAFFIC_CONTROL" },
      alarmConfiguration: { enabled: true, alarms: [{ name: alarm.alarmName }] },
      autoRollbackConfiguration: {
        enabled: true,
        events: ["DEPLOYMENT_FAILURE", "DEPLOYMENT_STOP_ON_ALARM", "DEPLOYMENT_STOP_ON_REQUEST"],
      },
    });
    group.node.addDependency(role, alarm);
    (alias.node.defaultChild as CfnAlias).cfnOptions.updatePolicy = {
      codeDeployLambdaAliasUpdate: {
        applicationName: application.ref,
        deploymentGroupName: group.ref,
      },
    };
  }
  return aliases;
}

/**
 * Counts the version alone: with the function's own metric, the failures of the version before
 * would stop the deployment of its correction.
 */
function measureFailures(fn: ServiceFunction, names: readonly string[]): MathExpression {
  const period = Duration.minutes(1);
  const each = (metricName: string, prefix: string) =>
    numbered(
      prefix,
      names.map((alias) => {
        const { name: FunctionName, currentVersion } = fn;
        const Resource = `${FunctionName}:${alias}`;
        const dimensions = { FunctionName, Resource, ExecutedVersion: currentVersion.version };
        return awsMetric("AWS/Lambda", metricName, dimensions, { ...eachPeriod, period });
      }),
    );
  return toPercent({
    part: each("Errors", "failed"),
    whole: each("Invocations", "invoked"),
    least: leastFailures,
    label: "Failures in percent",
    period,
  });
}

/** What AWS's own policy for CodeDeploy and Lambda allows, on these aliases alone. */
function stepsRole(fn: ServiceFunction, names: readonly string[]): Role {
  const role = new Role(Stack.of(fn), `${fn.node.id}StepsRole`, {
    assumedBy: new ServicePrincipal("codedeploy.amazonaws.com"),
    description: `Moves the aliases of the ${fn.name} function to a new version.`,
  });
  const allow = (actions: string[], resources: string[]) =>
    role.addToPolicy(new PolicyStatement({ actions, resources }));
  // By name: the aliases come after the role.
  const aliases = names.map((alias) => `${fn.functionArn}:${alias}`);
  allow(["lambda:GetAlias", "lambda:UpdateAlias"], [fn.functionArn, ...aliases]);
  allow(["lambda:GetProvisionedConcurrencyConfig"], [`${fn.functionArn}:*`]);
  allow(["cloudwatch:DescribeAlarms"], ["*"]);
  const id = Stack.of(fn).getLogicalId(fn.node.defaultChild as CfnFunction);
  acknowledge(role, {
    "AwsSolutions-IAM5[Resource::*]": "DescribeAlarms supports no resource-level permissions.",
    [`AwsSolutions-IAM5[Resource::<${id}.Arn>:*]`]:
      "It reads the concurrency of versions, whose numbers are not known before they are made.",
  });
  return role;
}
