import { Duration, Stack } from "aws-cdk-lib";
import {
  Alarm,
  type AlarmProps,
  ComparisonOperator,
  type IMetric,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { PolicyStatement, ServicePrincipal } from "aws-cdk-lib/aws-iam";
import type { Key } from "aws-cdk-lib/aws-kms";
import { Topic } from "aws-cdk-lib/aws-sns";
import { EmailSubscription } from "aws-cdk-lib/aws-sns-subscriptions";
import { Construct } from "constructs";
import type { Settings } from "../environments.ts";

export interface AlarmOptions extends Pick<AlarmProps, "comparisonOperator" | "treatMissingData"> {
  readonly metric: IMetric;
  /** Goes off above it, unless another comparison is given. */
  readonly threshold: number;
  /** Periods of the metric that must breach one after the other. */
  readonly periods?: number;
  /** What it means for customers, and where to look first. It stands in the notification. */
  readonly impact: string;
  /** The section of docs/runbook.md that says what to do, as its anchor. */
  readonly runbook: string;
}

/** The only maker of alarms: each has a written impact, and tells the operators' topic when it goes off and when it ends. */
export class Alarms extends Construct {
  readonly topic: Topic;
  /** All of them, in the order in which they were made. */
  readonly all: Alarm[] = [];
  private readonly prefix: string;

  constructor(scope: Construct, id: string, props: { settings: Settings; key: Key }) {
    super(scope, id);
    this.prefix = `card-issuing-${props.settings.name}`;
    this.topic = new Topic(this, "Topic", {
      displayName: `${this.prefix} alarms`,
      masterKey: props.key,
      enforceSSL: true,
    });
    const cloudWatch = new ServicePrincipal("cloudwatch.amazonaws.com");
    // Only alarms of this account: the topic's own policy takes the place of the default one, which would let them.
    const { account } = Stack.of(this);
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        sid: "AllowAlarms",
        principals: [cloudWatch],
        actions: ["sns:Publish"],
        resources: [this.topic.topicArn],
        conditions: { StringEquals: { "aws:SourceAccount": account } },
      }),
    );
    props.key.grant(cloudWatch, "kms:Decrypt", "kms:GenerateDataKey");
    if (props.settings.alarmEmail !== undefined) {
      this.topic.addSubscription(new EmailSubscription(props.settings.alarmEmail));
    }
  }

  add(id: string, options: AlarmOptions): Alarm {
    const alarm = new Alarm(this, id, {
      alarmName: `${this.prefix}-${id}`,
      alarmDescription: `${options.impact} What to do: docs/runbook.md#${options.runbook}`,
      metric: options.metric,
      threshold: options.threshold,
      evaluationPeriods: options.periods ?? 1,
      comparisonOperator: options.comparisonOperator ?? ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: options.treatMissingData ?? TreatMissingData.NOT_BREACHING,
    });
    const action = new SnsAction(this.topic);
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
    this.all.push(alarm);
    return alarm;
  }
}

/** The period over which alarms count, unless they say otherwise. */
export const alarmPeriod = Duration.minutes(5);
