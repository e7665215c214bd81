import { Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import { CfnAccount } from "aws-cdk-lib/aws-apigateway";
import { ManagedPolicy, PolicyStatement, Role, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { type IKey, Key } from "aws-cdk-lib/aws-kms";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import type { Settings } from "../../environments.ts";
import { acknowledge } from "../acknowledge.ts";
import type { Severity } from "./alarms.ts";

/** The key of logs and alarms. Tables use another one. */
export class LogKey extends Key {
  constructor(scope: Construct, id: string, settings: Settings) {
    super(scope, id, {
      description: "Encrypts the logs and alarms of the card issuing platform.",
      enableKeyRotation: true,
      rotationPeriod: Duration.days(365),
      removalPolicy: settings.removalPolicy,
    });
    const { region, account, partition } = Stack.of(this);
    this.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal(`logs.${region}.amazonaws.com`)],
        actions: ["Encrypt", "Decrypt", "ReEncryptFrom", "ReEncryptTo", "GenerateDataKey", "DescribeKey"].map(
          (action) => `kms:${action}`,
        ),
        resources: ["*"],
        conditions: {
          ArnLike: {
            "kms:EncryptionContext:aws:logs:arn": `arn:${partition}:logs:${region}:${account}:log-group:*`,
          },
        },
      }),
    );
    // What alarms say is encrypted with it.
    this.grant(new ServicePrincipal("cloudwatch.amazonaws.com"), "kms:Decrypt", "kms:GenerateDataKey");
  }
}

/** Encrypted, and kept as long as all logs of the environment. */
export class OwnLog extends LogGroup {
  constructor(scope: Construct, id: string, settings: Settings, encryptionKey: IKey, logGroupName?: string) {
    const { logRetentionDays: retention, removalPolicy } = settings;
    super(scope, id, { retention, encryptionKey, removalPolicy, ...(logGroupName && { logGroupName }) });
  }
}

interface AlarmTopicProps {
  readonly settings: Settings;
  readonly severity: Severity;
  readonly key: Key;
}

export class AlarmTopic extends Topic {
  constructor(scope: Construct, id: string, { settings, severity, key }: AlarmTopicProps) {
    super(scope, id, {
      displayName: `card-issuing-${settings.name} ${severity}s`,
      masterKey: key,
      enforceSSL: true,
    });
    const cloudWatch = new ServicePrincipal("cloudwatch.amazonaws.com");
    // This policy replaces the default one, so it must allow this account's alarms.
    const { account } = Stack.of(this);
    this.addToResourcePolicy(
      new PolicyStatement({
        sid: "AllowAlarms",
        principals: [cloudWatch],
        actions: ["sns:Publish"],
        resources: [this.topicArn],
        conditions: { StringEquals: { "aws:SourceAccount": account } },
      }),
    );
    const email = { page: settings.pageEmail, ticket: settings.ticketEmail }[severity];
    if (email !== undefined) this.addSubscription(new EmailSubscription(email));
  }
}

/**
 * Lets API Gateway write logs: one setting per account and region. The role is retained because
 * other environments may depend on it.
 */
export class GatewayAccount extends Construct {
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const role = new Role(this, "LogRole", {
      assumedBy: new ServicePrincipal("apigateway.amazonaws.com"),
      description: "Lets API Gateway write execution logs.",
      managedPolicies: [
        ManagedPolicy.fromAwsManagedPolicyName("service-role/AmazonAPIGatewayPushToCloudWatchLogs"),
      ],
    });
    role.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE);
    new CfnAccount(this, "Account", { cloudWatchRoleArn: role.roleArn }).applyRemovalPolicy(
      RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
    );
    acknowledge(role, {
      "AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]":
        "AWS maintains this policy for exactly this role; API Gateway writes to log groups that it names itself.",
    });
  }
}
