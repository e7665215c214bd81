import { evaluate } from "./metric-math.ts";
import { type Resource, resolved, type Synthesized, templatesIn } from "./synthesized.ts";

/** What a service or function reports within one period of an alarm. */
export interface Measurement {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly value: number;
  /** How often the value was measured; 1 by default. */
  readonly count?: number;
}

/** What was reported in each period, one after the other. */
export type Periods = readonly (readonly Measurement[])[];

export type AlarmState = "ALARM" | "OK" | "INSUFFICIENT_DATA";

/** What stands in for `SERVICE_QUOTA`. */
export const quota = 1000;

type Alarm = Resource["Properties"];
type Value = number | undefined;

/**
 * The state of an alarm after each period, as CloudWatch computes it: statistics, expressions, M
 * out of N periods, and missing data. Throws for a measurement that the alarm does not look at.
 */
export function statesOf(templates: Synthesized, alarm: Alarm, periods: Periods): AlarmState[] {
  const nameOf = namesIn(templates);
  const read = new Set<Measurement>();
  const statistic = (metric: Alarm, stat: string, measured: readonly Measurement[]): Value => {
    const dimensions = Object.fromEntries(
      (metric.Dimensions ?? []).map(({ Name, Value }: Alarm) => [Name, nameOf(Value)]),
    );
    const own = measured.filter(
      (one) =>
        one.namespace === metric.Namespace &&
        one.name === metric.MetricName &&
        isSame(one.dimensions, dimensions),
    );
    for (const one of own) read.add(one);
    return compute(stat, own);
  };
  const values = periods.map((measured) =>
    alarm.Metrics === undefined
      ? statistic(alarm, alarm.Statistic ?? alarm.ExtendedStatistic, measured)
      : evaluated(alarm.Metrics, (metric, stat) => statistic(metric, stat, measured)),
  );
  const unread = periods.flat().find((one) => !read.has(one));
  if (unread) throw new Error(`${alarm.AlarmName} does not look at ${JSON.stringify(unread)}.`);
  const states: AlarmState[] = [];
  for (const index of values.keys())
    states.push(stateAfter(alarm, values.slice(0, index + 1), states.at(-1) ?? "OK"));
  return states;
}

function stateAfter(alarm: Alarm, values: readonly Value[], before: AlarmState): AlarmState {
  const { EvaluationPeriods: periods, DatapointsToAlarm = periods, TreatMissingData = "missing" } = alarm;
  const window: Value[] = Array.from({ length: periods }, (_, back) => values[values.length - 1 - back]);
  if (window.every((value) => value === undefined)) {
    if (TreatMissingData === "ignore") return before;
    if (TreatMissingData === "missing") return "INSUFFICIENT_DATA";
  }
  const breaching = window.filter((value) =>
    value === undefined ? TreatMissingData === "breaching" : isBreaching(alarm, value),
  );
  return breaching.length >= DatapointsToAlarm ? "ALARM" : "OK";
}

function isBreaching({ ComparisonOperator, Threshold }: Alarm, value: number): boolean {
  if (ComparisonOperator === "GreaterThanThreshold") return value > Threshold;
  if (ComparisonOperator === "LessThanThreshold") return value < Threshold;
  throw new Error(`${ComparisonOperator} is not known here.`);
}

/** The query whose data the alarm compares is the one that returns any. */
function evaluated(queries: readonly Alarm[], statistic: (metric: Alarm, stat: string) => Value): Value {
  const returned = queries.filter(({ ReturnData = true }) => ReturnData);
  if (returned.length !== 1) throw new Error("An alarm compares one query's data.");
  const byId = new Map(queries.map((query) => [query.Id, query]));
  const dataOf = (id: string): Value => {
    const query = byId.get(id);
    if (query === undefined) throw new Error(`There is no query ${id}.`);
    const { Expression, MetricStat } = query;
    return Expression === undefined
      ? statistic(MetricStat.Metric, MetricStat.Stat)
      : evaluate(Expression, dataOf, quota);
  };
  return dataOf(returned[0].Id);
}

function compute(stat: string, measured: readonly Measurement[]): Value {
  if (measured.length === 0) return undefined;
  const counted = measured.map(({ value, count = 1 }) => ({ value, count }));
  const samples = counted.reduce((sum, { count }) => sum + count, 0);
  if (stat === "SampleCount") return samples;
  if (stat === "Sum") return counted.reduce((sum, { value, count }) => sum + value * count, 0);
  if (stat === "Maximum") return Math.max(...counted.map(({ value }) => value));
  if (stat === "Minimum") return Math.min(...counted.map(({ value }) => value));
  const [, percent] = /^p(\d+)$/.exec(stat) ?? [];
  if (percent === undefined) throw new Error(`The statistic ${stat} is not known here.`);
  let rest = (samples * Number(percent)) / 100;
  for (const { value, count } of counted.toSorted((one, other) => one.value - other.value)) {
    rest -= count;
    if (rest <= 0) return value;
  }
  return undefined;
}

/** The number that Lambda gives to the version that is deployed. */
export const newVersion = "8";

/** Resources' names as metrics have them: a table or rule without one has its construct's. */
function namesIn(templates: Synthesized): (value: unknown) => string {
  const resources: Record<string, Resource> = Object.assign(
    {},
    ...templatesIn(templates).map((template) => template.toJSON().Resources),
  );
  return (value) => {
    const reference = resolved(templates, value) as string | { Ref?: string; "Fn::GetAtt"?: string[] };
    if (typeof reference === "string") return reference;
    const id = reference.Ref ?? reference["Fn::GetAtt"]?.[0] ?? "";
    if (resources[id]?.Type === "AWS::Lambda::Version") return newVersion;
    const { FunctionName, QueueName, Name } = resources[id]?.Properties ?? {};
    return FunctionName ?? QueueName ?? Name ?? id.replace(/[0-9A-F]{8}$/, "");
  };
}

function isSame(one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>): boolean {
  const text = (dimensions: object) => JSON.stringify(Object.entries(dimensions).toSorted());
  return text(one) === text(other);
}
