import { describe, expect, test } from "vitest";
import { type AlarmState, type Periods, statesOf } from "./alarm-states.ts";
import { of, times } from "./alarm-trial.ts";
import { evaluate } from "./metric-math.ts";
import { synthesized } from "./synthesized.ts";

describe("an expression", () => {
  const data: Record<string, number> = { a: 6, b: 3, zero: 0 };
  const resultOf = (expression: string) => evaluate(expression, (id) => data[id], 500);

  test.each<[string, number | undefined]>([
    ["1 + 2 * 3 - 4 / 2", 5],
    ["(1 + 2) * 3", 9],
    ["a - b - 1", 2],
    ["a + missing", undefined],
    ["SUM([a, missing, b])", 9],
    ["SUM([missing])", undefined],
    ["a / zero", undefined],
    ["IF(a > b, 100 * b / a, 0)", 50],
    ["IF(a <= b, 1, 2)", 2],
    ["IF(missing >= 1, 1, 2)", undefined],
    ["100 * a / SERVICE_QUOTA(a)", 1.2],
  ])("%s is %s", (expression, value) => {
    expect(resultOf(expression)).toBe(value);
  });

  test.each(["FILL(a, 0)", "a b", "a +", "SUM(a, b", "[a]", "a ^ 2"])("%s is refused", (expression) => {
    expect(() => resultOf(expression)).toThrow();
  });
});

describe("the state of an alarm", () => {
  const alarm = (more: object) => ({
    Namespace: "N",
    MetricName: "M",
    Statistic: "Sum",
    Threshold: 5,
    ComparisonOperator: "GreaterThanThreshold",
    EvaluationPeriods: 1,
    ...more,
  });
  const high = of("N", {}, { M: [1, 6] });
  const low = of("N", {}, { M: 5 });
  const statesFor = (more: object, periods: Periods) => statesOf(synthesized("local"), alarm(more), periods);

  test.each<[string, object, Periods, AlarmState[]]>([
    ["compares each period", {}, [low, high, low], ["OK", "ALARM", "OK"]],
    ["needs all periods", { EvaluationPeriods: 2 }, [high, high, low], ["OK", "ALARM", "OK"]],
    [
      "needs some of the periods",
      { EvaluationPeriods: 3, DatapointsToAlarm: 2 },
      [high, low, high, low, low],
      ["OK", "OK", "ALARM", "OK", "OK"],
    ],
    ["has too little data", {}, [[], high], ["INSUFFICIENT_DATA", "ALARM"]],
    ["keeps its state", { TreatMissingData: "ignore" }, [high, [], low, []], ["ALARM", "ALARM", "OK", "OK"]],
    ["takes silence for a breach", { TreatMissingData: "breaching" }, [low, []], ["OK", "ALARM"]],
    ["takes silence for none", { TreatMissingData: "notBreaching" }, [high, []], ["ALARM", "OK"]],
    ["compares a maximum", { Statistic: "Maximum" }, [of("N", {}, { M: [6, 1] }), high], ["ALARM", "OK"]],
    [
      "compares a percentile",
      { Statistic: undefined, ExtendedStatistic: "p90" },
      [
        [...of("N", {}, { M: [9, 10] }), ...of("N", {}, { M: [1, 90] })],
        [...of("N", {}, { M: [9, 11] }), ...of("N", {}, { M: [1, 89] })],
      ],
      ["OK", "ALARM"],
    ],
  ])("%s", (_, more, periods, states) => {
    expect(statesFor(more, periods)).toEqual(states);
  });

  test("is asked only about what the alarm looks at", () => {
    expect(() => statesFor({}, times(1, of("N", { Function: "f" }, { M: 9 })))).toThrow("does not look at");
  });
});
