import { Duration } from "aws-cdk-lib";
import {
  Alarm,
  type AlarmProps,
  ComparisonOperator,
  type IMetric,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import type { Settings } from "../../environments.ts";

export interface AlarmOptions extends Pick<AlarmProps, "comparisonOperator" | "treatMissingData"> {
  readonly metric: IMetric;
  /** The alarm goes off above this value unless `comparison` says otherwise. */
  readonly threshold: number;
  readonly periods?: number;
  /** Consequences for customers and where to look first. Part of the notification. */
  readonly impact: string;
  /** Anchor of the section in docs/runbook.md. */
  readonly runbook: string;
}

/** Creates a stack's alarms. Each notifies the operators' topic when it starts and when it ends. */
export class Alarms extends Construct {
  readonly names: string[] = [];
  private readonly prefix: string;
  private readonly action: SnsAction;

  constructor(scope: Construct, id: string, { settings, topic }: { settings: Settings; topic: ITopic }) {
    super(scope, id);
    this.prefix = `card-issuing-${settings.name}`;
    this.action = new SnsAction(topic);
  }

  add(id: string, options: AlarmOptions): Alarm {
    const alarmName = `${this.prefix}-${id}`;
    const alarm = new Alarm(this, id, {
      alarmName,
      alarmDescription: `${options.impact} What to do: docs/runbook.md#${options.runbook}`,
      metric: options.metric,
      threshold: options.threshold,
      evaluationPeriods: options.periods ?? 1,
      comparisonOperator: options.comparisonOperator ?? ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: options.treatMissingData ?? TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(this.action);
    alarm.addOkAction(this.action);
    this.names.push(alarmName);
    return alarm;
  }
}

export const alarmPeriod = Duration.minutes(5);
