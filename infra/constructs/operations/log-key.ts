import { Duration, Stack } from "aws-cdk-lib";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import { Key } from "aws-cdk-lib/aws-kms";
import type { Construct } from "constructs";
import type { Settings } from "../../environments.ts";

/** The key of everything that tells about the platform and is not its data: logs and alarms. */
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
        actions: [
          "kms:Encrypt",
          "kms:Decrypt",
          "kms:ReEncryptFrom",
          "kms:ReEncryptTo",
          "kms:GenerateDataKey",
          "kms:DescribeKey",
        ],
        resources: ["*"],
        conditions: {
          ArnLike: {
            "kms:EncryptionContext:aws:logs:arn": `arn:${partition}:logs:${region}:${account}:log-group:*`,
          },
        },
      }),
    );
  }
}
