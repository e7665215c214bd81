import { Duration } from "aws-cdk-lib";
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  type MetricOptions,
  type TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import type { ITopic } from "aws-cdk-lib/aws-sns";
import { Construct } from "constructs";
import type { Settings } from "../../environments.ts";
import { writesHere } from "../second-region-settings.ts";

/**
 * A page wakes somebody: customers or money are being harmed now, or an attack may be under way. A
 * ticket waits until somebody is at work.
 */
const severities = ["page", "ticket"] as const;
export type Severity = (typeof severities)[number];
export type AlarmTopics = Readonly<Record<Severity, ITopic>>;

interface AlarmOptions {
  readonly metric: IMetric;
  readonly severity: Severity;
  /** The alarm goes off above this value, or below the other one. Without both: above 0. */
  readonly above?: number;
  readonly below?: number;
  /** What a period without data is. By default, it is good. */
  readonly ifMissing?: `${TreatMissingData}`;
  readonly periods?: number;
  /** How many of the periods must be bad, if not all. */
  readonly breaches?: number;
  /** Consequences for customers and where to look first. Part of the notification. */
  readonly impact: string;
  /** Anchor of the section in docs/runbook.md; or page and anchor. */
  readonly runbook: string;
}

/** Creates a stack's alarms. Each notifies its severity's topic when it starts and when it ends. */
export class Alarms extends Construct {
  readonly names: string[] = [];
  private readonly prefix: string;
  private readonly topics: AlarmTopics;
  private readonly isSilent: boolean;

  constructor(scope: Construct, id: string, props: { settings: Settings; topics: AlarmTopics }) {
    super(scope, id);
    this.prefix = `card-issuing-${props.settings.name}`;
    this.topics = props.topics;
    this.isSilent = !writesHere(props.settings);
  }

  add(id: string, options: AlarmOptions): Alarm {
    const alarmName = `${this.prefix}-${id}`;
    const { above = 0, below } = options;
    const { GREATER_THAN_THRESHOLD, LESS_THAN_THRESHOLD } = ComparisonOperator;
    const alarm = new Alarm(this, id, {
      alarmName,
      alarmDescription: `${options.impact} What to do: ${section(options.runbook)}`,
      metric: options.metric,
      threshold: below ?? above,
      evaluationPeriods: options.periods ?? 1,
      ...(options.breaches === undefined ? {} : { datapointsToAlarm: options.breaches }),
      comparisonOperator: below === undefined ? GREATER_THAN_THRESHOLD : LESS_THAN_THRESHOLD,
      treatMissingData: (options.ifMissing ?? "notBreaching") as TreatMissingData,
      ...(this.isSilent && { actionsEnabled: false }),
    });
    const action = new SnsAction(this.topics[options.severity]);
    alarm.addAlarmAction(action);
    alarm.addOkAction(action);
    this.names.push(alarmName);
    return alarm;
  }
}

/** The page of what concerns the account, and all that runs in it. */
export const accountPage = "runbook-account.md";

function section(runbook: string): string {
  return `docs/${runbook.includes("#") ? "" : "runbook.md#"}${runbook}`;
}

export const alarmPeriod = Duration.minutes(5);
/** What was counted in each. */
export const eachPeriod = { period: alarmPeriod, statistic: "Sum" };

/** A metric of AWS's own, over all that it has no dimensions for. */
export function awsMetric(
  namespace: string,
  metricName: string,
  dimensionsMap: Readonly<Record<string, string>> = {},
  options: MetricOptions = eachPeriod,
): Metric {
  return new Metric({ namespace, metricName, dimensionsMap, ...options });
}

/** An alarm on a count that is never 0 for so many minutes. */
export function silence(minutes: number) {
  return {
    severity: "page",
    below: 1,
    ifMissing: "breaching",
    periods: minutes / alarmPeriod.toMinutes(),
    runbook: `${accountPage}#silence`,
  } as const;
}

/** By names that an expression can have: the prefix with a number. */
export function numbered(prefix: string, metrics: readonly IMetric[]): Record<string, IMetric> {
  return Object.fromEntries(metrics.map((metric, index) => [`${prefix}${index}`, metric]));
}

export const addUp = (metrics: object) => `SUM([${Object.keys(metrics).join(", ")}])`;

interface Share {
  readonly part: Readonly<Record<string, IMetric>>;
  readonly whole: Readonly<Record<string, IMetric>>;
  /** Fewer parts in a period prove nothing: the share counts as 0. */
  readonly least: number;
  readonly label: string;
  readonly period?: Duration;
}

/**
 * How many percent of the whole the part is. `SUM` passes over a metric without data, where `+`
 * would have no result: a function that is always throttled has no invocations.
 */
export function toPercent({ part, whole, least, label, period = alarmPeriod }: Share): MathExpression {
  return new MathExpression({
    expression: `IF(${addUp(part)} >= ${least}, 100 * ${addUp(part)} / ${addUp(whole)}, 0)`,
    usingMetrics: { ...whole, ...part },
    period,
    label,
  });
}

/** A value that means something only if it was measured often enough in a period. */
export function ifOften(count: IMetric, least: number, value: IMetric, label: string): MathExpression {
  return new MathExpression({
    expression: `IF(count >= ${least}, value, 0)`,
    usingMetrics: { count, value },
    period: alarmPeriod,
    label,
  });
}
