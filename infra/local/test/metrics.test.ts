import { describe, expect, it } from "vitest";
import { Metrics } from "../telemetry.ts";

const line = (root: object, directive: object = {}) =>
  JSON.stringify({
    message: "It happened.",
    environment: "local",
    ...root,
    _aws: {
      Timestamp: 1_800_000_000_000,
      CloudWatchMetrics: [
        {
          Namespace: "Test",
          Dimensions: [["environment"], ["environment", "reason"]],
          Metrics: [{ Name: "Happened", Unit: "Count" }],
          ...directive,
        },
      ],
    },
  });

describe("the metrics in the functions' logs", () => {
  it("are added up by name and dimensions", () => {
    const metrics = new Metrics();
    metrics.hear(`${line({ Happened: 2, reason: "A" })}\n${line({ Happened: [1, 4], reason: "B" })}\n`);
    const series = (reason: object, samples: number, sum: number, minimum: number, maximum: number) => ({
      namespace: "Test",
      name: "Happened",
      unit: "Count",
      dimensions: { environment: "local", ...reason },
      samples,
      sum,
      minimum,
      maximum,
    });
    expect(metrics.all()).toEqual({
      metrics: [
        series({}, 3, 7, 1, 4),
        series({ reason: "A" }, 1, 2, 2, 2),
        series({ reason: "B" }, 2, 5, 1, 4),
      ],
      faults: [],
    });
  });

  it.each([
    ["has no value", line({ reason: "A" })],
    ["has a value that is no number", line({ Happened: "2", reason: "A" })],
    ["lacks a dimension that it names", line({ Happened: 2 })],
    ["has an empty dimension", line({ Happened: 2, reason: "" })],
    ["has no dimensions", line({ Happened: 2, reason: "A" }, { Dimensions: [] })],
    ["is cut off", line({ Happened: 2, reason: "A" }).slice(0, -2)],
  ])("of which one %s are none, and that is told", (_, wrong) => {
    const metrics = new Metrics();
    metrics.hear(wrong);
    expect(metrics.all().faults).toHaveLength(1);
  });

  it("other lines are no metrics", () => {
    const metrics = new Metrics();
    metrics.hear('{"message":"The request is answered."}\nnot JSON\n');
    expect(metrics.all()).toEqual({ metrics: [], faults: [] });
  });
});
