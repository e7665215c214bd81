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
  /** Goes off above it, unless another comparison is given. */
  readonly threshold: number;
  /** Periods of the metric that must breach one after the other. */
  readonly periods?: number;
  /** What it means for customers, and where to look first. It is part of the notification. */
  readonly impact: string;
  /** The section of docs/runbook.md that says what to do, as its anchor. */
  readonly runbook: string;
}

/** Makes a stack's alarms. Each has a written impact, and notifies the operators' topic when it starts and ends. */
export class Alarms extends Construct {
  /** The names of all of them, in the order in which they were made. */
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

/** The period over which alarms count, unless they say otherwise. */
export const alarmPeriod = Duration.minutes(5);
