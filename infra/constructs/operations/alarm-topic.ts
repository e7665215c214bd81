import { Stack } from "aws-cdk-lib";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Key } from "aws-cdk-lib/aws-kms";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import type { Construct } from "constructs";
import type { Settings } from "../../environments.ts";

/** The operators' topic, to which every alarm goes. */
export class AlarmTopic extends Topic {
  constructor(scope: Construct, id: string, { settings, key }: { settings: Settings; key: Key }) {
    super(scope, id, {
      displayName: `card-issuing-${settings.name} alarms`,
      masterKey: key,
      enforceSSL: true,
    });
    const cloudWatch = new ServicePrincipal("cloudwatch.amazonaws.com");
    // Only alarms of this account: the topic's own policy takes the place of the default one, which would let them.
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
    key.grant(cloudWatch, "kms:Decrypt", "kms:GenerateDataKey");
    if (settings.alarmEmail !== undefined) this.addSubscription(new EmailSubscription(settings.alarmEmail));
  }
}
