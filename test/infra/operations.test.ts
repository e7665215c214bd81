import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { environmentNames, readSettings } from "../../infra/environments.ts";
import { metricNamespace, metrics } from "../../shared/contract/metrics.ts";
import { askingForAll } from "./given-listener-stack.ts";
import { type Resource, resolved, resource, resourcesOf, synthesized } from "./synthesized.ts";

interface Section {
  readonly page: string;
  readonly anchor: string;
  readonly text: string;
}

/**
 * The runbook's sections of the second and third level, by the anchors that a reader's browser
 * knows them by.
 */
const sections: Section[] = ["runbook.md", "runbook-account.md", "runbook-listener.md"].flatMap((page) =>
  readFileSync(`docs/${page}`, "utf8")
    .split(/^(?=#{2,3} )/m)
    .filter((text) => text.startsWith("#"))
    .map((text) => ({
      page,
      anchor: (text.match(/^#+ (.*)/)?.[1] ?? "")
        .toLowerCase()
        .replaceAll(/[^\w -]/g, "")
        .replaceAll(" ", "-"),
      text,
    })),
);

/** The alarms that a section is about: those of the line that names them. */
function alarmsOf({ text }: Section): string[] {
  const line = text.match(/^Alarms?: (.*?)\.$/ms)?.[1] ?? "";
  return [...line.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
}

/** Alarms by their names without the environment's, each with the section that it leads to. */
function alarmsIn(
  name: (typeof environmentNames)[number],
  templates = synthesized(name),
): [string, string][] {
  return resourcesOf(templates, "AWS::CloudWatch::Alarm").map(([id, { Properties }]) => {
    const [, anchor] = Properties.AlarmDescription.match(/ What to do: docs\/([\w-]+\.md#[\w-]+)$/) ?? [];
    expect(anchor, id).toBeDefined();
    return [Properties.AlarmName.replace(`card-issuing-${name}-`, ""), anchor];
  });
}

describe("the runbook", () => {
  test("has a section for every alarm that refers to it, and no others", () => {
    const synthesizedPairs = [
      ...environmentNames.flatMap((name) => alarmsIn(name)),
      ...alarmsIn("production", askingForAll()),
    ].map((pair) => pair.join(" -> "));
    const writtenPairs = sections.flatMap((section) =>
      alarmsOf(section).map((alarm) => `${alarm} -> ${section.page}#${section.anchor}`),
    );
    expect(writtenPairs.length).toBeGreaterThan(40);
    expect(writtenPairs.toSorted()).toEqual([...new Set(synthesizedPairs)].toSorted());
  });

  test("says what to do in each section", () => {
    for (const section of sections.filter((one) => alarmsOf(one).length > 0)) {
      expect(section.text, section.anchor).toMatch(/^(1\. |- )/m);
    }
  });
});

describe("the page on operations", () => {
  const page = readFileSync("docs/operations.md", "utf8");

  test("lists every metric with its dimension", () => {
    for (const [name, metric] of Object.entries(metrics)) {
      const row = page.split("\n").find((line) => line.startsWith(`| \`${name}\` |`));
      expect(row?.endsWith("by" in metric ? `| \`${metric.by}\` |` : "| |"), name).toBe(true);
    }
  });

  test("says how long logs are kept", () => {
    const [local, staging, production] = environmentNames.map((name) => readSettings(name).logRetentionDays);
    expect(page.replaceAll("\n", " ")).toContain(
      `${local} days locally, ${staging} in staging, ${production} in production`,
    );
  });
});

describe.each(environmentNames)("operations of %s", (name) => {
  const templates = synthesized(name);
  const [, { Properties }] = resource(templates, "AWS::CloudWatch::Dashboard", "Dashboard");
  const body = JSON.stringify(resolved(templates, Properties.DashboardBody));
  const showsEach = (type: string, text: (properties: Resource["Properties"], id: string) => string) => {
    const found = resourcesOf(templates, type);
    expect(found.length).toBeGreaterThan(0);
    expect(found.filter(([id, one]) => !body.includes(text(one.Properties, id))).map(([id]) => id)).toEqual(
      [],
    );
  };

  test("the dashboard shows every alarm, function, queue and API, and both tables", () => {
    expect(Properties.DashboardName).toBe(`card-issuing-${name}`);
    showsEach("AWS::CloudWatch::Alarm", ({ AlarmName }) => `:alarm:${AlarmName}\\"`);
    showsEach("AWS::Lambda::Function", ({ FunctionName }) => `FunctionName\\",\\"${FunctionName}\\"`);
    showsEach("AWS::SQS::Queue", ({ QueueName }) => `QueueName\\",\\"${QueueName}\\"`);
    showsEach("AWS::ApiGateway::RestApi", ({ Name }) => `ApiName\\",\\"${Name}\\"`);
    showsEach("AWS::DynamoDB::GlobalTable", (_, id) => `{"Ref":"${id}"}`);
    expect(body).toContain("WriteThrottleEvents");
  });

  test("the dashboard shows all of the functions' metrics", () => {
    for (const metric of Object.keys(metrics)) {
      expect(body, metric).toContain(`\\"${metricNamespace}\\",\\"${metric}\\"`);
    }
  });

  test("every alarm's own metric is written by a function", () => {
    const own = resourcesOf(templates, "AWS::CloudWatch::Alarm").flatMap(([, alarm]) =>
      [alarm.Properties, ...(alarm.Properties.Metrics ?? []).map(metricOf)].filter(
        // The others are counted in logs, and have no dimension.
        ({ Namespace, Dimensions }) => Namespace === metricNamespace && Dimensions !== undefined,
      ),
    );
    expect(own).toHaveLength(15);
    for (const { MetricName, Dimensions } of own) {
      const metric = metrics[MetricName as keyof typeof metrics];
      const written = ["environment", ...("by" in metric ? [metric.by] : [])];
      const names: string[] = Dimensions.map(({ Name }: { Name: string }) => Name);
      expect(written).toEqual(expect.arrayContaining(names));
      expect(Dimensions).toContainEqual({ Name: "environment", Value: name });
    }
  });
});

/** What a query of a computed metric looks at. */
function metricOf({ MetricStat }: { MetricStat?: { Metric: object; Stat: string } }) {
  return { ...MetricStat?.Metric } as Resource["Properties"];
}
